"""Before judging: how many queries and votes are needed, which documents to judge, and samples of both."""
