"""What agents call the same few tools, for a call whose adapter did not know its tool."""

from __future__ import annotations

from interlock.model.call import EDIT, FETCH, GLOB, GREP, OTHER, READ, SEARCH, SHELL, TASK, WRITE

_WORDS: dict[str, str] = {
    SHELL: (
        "bash shell run_shell_command exec_command execute_bash execute_command run_command"
        " run_terminal_cmd local_shell terminal shell_command unified_exec powershell pwsh"
        " run_powershell execute_powershell cmd run_cmd"
    ),
    READ: "read read_file read_many_files view view_file open_file cat_file notebookread",
    WRITE: "write write_file create create_file write_to_file save_file new_file",
    EDIT: (
        "edit multiedit edit_file replace str_replace apply_patch apply_diff replace_in_file"
        " search_replace insert_edit str_replace_editor str_replace_based_edit_tool notebookedit"
        " patch"
    ),
    GLOB: "glob list_directory list_dir ls find_files list_files file_search",
    GREP: "grep search_file_content grep_search search_files codebase_search rg",
    FETCH: "webfetch web_fetch fetch fetch_url http_get url_fetch read_url",
    SEARCH: "websearch web_search google_web_search search_web",
    TASK: (
        "task agent spawn_agent todowrite todo_write update_plan skill exitplanmode slashcommand"
        " save_memory bashoutput killshell killbash taskoutput taskstop taskcreate taskget tasklist"
        " taskupdate askuserquestion enterplanmode enterworktree exitworktree toolsearch"
        " listmcpresourcestool todoread structuredoutput sendmessage sleep lsp request_user_input"
        " view_image wait close_agent send_input wait_agent list_mcp_resources"
        " list_mcp_resource_templates ask_user ask_user_question exit_plan_mode enter_plan_mode"
        " activate_skill complete_task write_todos get_internal_docs report_intent update_todo"
        " store_memory read_bash list_bash stop_bash question invalid tool_search"
    ),
}
NAMES: dict[str, str] = {name: tool for tool, names in _WORDS.items() for name in names.split()}
"""In lower case."""
WINDOWS_SHELLS: dict[str, str] = {
    "PowerShell": "powershell", "powershell": "powershell", "pwsh": "powershell",
    "run_powershell": "powershell", "execute_powershell": "powershell",
    "cmd": "cmd", "Cmd": "cmd", "run_cmd": "cmd",
}  # fmt: skip
"""Tools whose name says that PowerShell or cmd.exe reads their text."""


def tool_of(tool: str, name: str) -> str:
    """Return the kind of tool a call is for: what its adapter says, else what the name says."""
    return NAMES.get(name.lower(), tool) if tool == OTHER else tool
