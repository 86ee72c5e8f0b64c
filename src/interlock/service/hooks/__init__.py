"""Web hooks: people's chats and pagers are told what waits, and led to the page that answers."""
