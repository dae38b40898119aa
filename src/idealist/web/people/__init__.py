"""Who may do what: users and roles, passwords, sessions, invitations, tokens, and forms that only our pages send."""
