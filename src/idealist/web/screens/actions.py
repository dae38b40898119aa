"""What was done, in the words of the page."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.web.screens.visit import Visit


def action_words(visit: Visit) -> dict[str, str]:
    """The words for each action of the history."""
    return {
        "project created": visit.text("history.created"),
        "project renamed": visit.text("history.changed"),
        "project removed": visit.text("history.project.removed"),
        "project restored": visit.text("history.project.restored"),
        "project purged": visit.text("history.project.purged"),
        "source added": visit.text("history.added"),
        "source removed": visit.text("history.removed"),
        "source restored": visit.text("history.restored"),
        "source purged": visit.text("history.purged"),
        "note added": visit.text("history.noted"),
        "note removed": visit.text("history.unnoted"),
        "decision recorded": visit.text("history.decided"),
        "task made": visit.text("history.task.made"),
        "task opened": visit.text("history.task.opened"),
        "task closed": visit.text("history.task.closed"),
        "item withdrawn": visit.text("history.item.withdrawn"),
        "rater added": visit.text("history.rater.added"),
        "rater removed": visit.text("history.rater.removed"),
        "member set": visit.text("history.member.set"),
        "member removed": visit.text("history.member.removed"),
        "logged in": visit.text("history.logged_in"),
        "user added": visit.text("history.user.added"),
        "user disabled": visit.text("history.user.disabled"),
        "user enabled": visit.text("history.user.enabled"),
        "role changed": visit.text("history.role"),
        "invited": visit.text("history.invited"),
        "invitation revoked": visit.text("history.invitation.revoked"),
        "password changed": visit.text("history.password.changed"),
        "password reset": visit.text("history.password.reset"),
        "password link": visit.text("history.password.link"),
        "account connected": visit.text("history.connected"),
        "token made": visit.text("history.token.made"),
        "token revoked": visit.text("history.token.revoked"),
    }
