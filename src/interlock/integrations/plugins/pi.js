
const YES = "Yes, this once"

export default function (pi) {
  const warnings = new Map() // what the calls that were let through are warned of
  let greeting = ""

  // In other modes than its terminal's nobody may sit there, or an agent that started this one.
  const place = (ctx) => ({
    session_id: ctx.sessionManager.getSessionId(),
    transcript_path: ctx.sessionManager.getSessionFile?.() ?? "",
    cwd: ctx.cwd,
    attended: ctx.mode === "tui",
  })

  const approved = (ctx) => async (reason) => (await ctx.ui.select(reason, ["No", YES], { signal: ctx.signal })) === YES

  /** Tell interlock of an event; what it says to the user is shown, what it says to the model is returned. */
  const tell = async (ctx, name, event) => {
    const { model, user } = await note(name, { ...place(ctx), ...event })
    if (user && ctx.hasUI) ctx.ui.notify(user, "warning")
    return model
  }

  pi.on("session_start", async (_event, ctx) => {
    process.env.INTERLOCK_SESSION = ctx.sessionManager.getSessionId() // by which `interlock stop` finds what this session started
    greeting = await tell(ctx, "SessionStart", {})
  })
  pi.on("before_agent_start", (event) => (greeting ? { systemPrompt: `${event.systemPrompt}\n\n${greeting}` } : undefined))
  pi.on("input", async (event, ctx) => {
    if (event.source === "extension" || !event.text) return // what an extension asks is no wish of the person
    await tell(ctx, "UserPromptSubmit", { prompt: event.text })
  })
  pi.on("tool_call", async (event, ctx) => {
    try {
      const call = { tool_name: event.toolName, tool_input: event.input ?? {}, tool_use_id: event.toolCallId }
      const { warning } = await judge({ ...place(ctx), ...call }, approved(ctx))
      warnings.set(event.toolCallId, warning)
    } catch (error) {
      return { block: true, reason: String(error?.message ?? error) }
    }
  })
  pi.on("tool_result", async (event, ctx) => {
    if (!warnings.has(event.toolCallId)) return
    const warning = warnings.get(event.toolCallId)
    warnings.delete(event.toolCallId)
    const call = { tool_name: event.toolName, tool_input: event.input ?? {}, tool_use_id: event.toolCallId, tool_response: event.content }
    await tell(ctx, event.isError ? "PostToolUseFailure" : "PostToolUse", call)
    if (warning) return { content: [...event.content, { type: "text", text: warning }] }
  })
}
