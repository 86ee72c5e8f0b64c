"""What sessions are remembered by: workspaces, marks on what their calls touched, goals that were refused."""
