// Loads plugins as their client would, has each judge one call, and prints what became of it: { NAME: { ran, said, told } }.
import { pathToFileURL } from "node:url"

const [client, ...files] = process.argv.slice(2)
const SAID = { quoted: '"say \\"no\\" twice"', "half-quoted": '"say" it "twice"' } // as `opencode run` hands words on
const input = { command: "touch canary" }

/** OpenCode: a hook that throws blocks the call. A session ("sub") that another one ("top") started belongs to that one. */
async function opencode(module, name) {
  const logged = []
  const session = async ({ path: { id } }) => {
    if (name === "unknown-session") return { error: "not found" }
    return { data: { id, parentID: id === "sub" ? "top" : undefined } }
  }
  const replies = []
  const postSessionIdPermissionsPermissionId = async ({ path, body }) => replies.push([path.id, path.permissionID, body.response])
  const api = { postSessionIdPermissionsPermissionId, session: { get: session }, app: { log: async ({ body }) => logged.push(body.message) } }
  const hooks = await module.Interlock({ client: api, directory: "/w/p", worktree: "/" })
  const config = { permission: { bash: "ask", edit: { "*": "ask", "*.env": "ask" }, read: { "*": "ask", "docs/*": "allow" }, "**": "deny" } }
  await hooks.config(config)
  const call = { tool: "bash", sessionID: name === "subagent" ? "sub" : "top", callID: "c1" }
  const args = name === "circular" ? { self: null } : { ...input }
  if (name === "circular") args.self = args
  const result = { title: "", output: "it ran", metadata: {} }
  const system = []
  await hooks["chat.message"]({ sessionID: call.sessionID }, { parts: [{ type: "text", text: SAID[name] ?? "please" }, { type: "text", text: "not me", synthetic: true }] })
  await hooks["experimental.chat.system.transform"]({ sessionID: call.sessionID }, { system })
  try {
    await hooks["tool.execute.before"](call, { args })
  } catch (error) {
    return { ran: false, said: error.message, system, logged, config }
  }
  const asked = (permission, callID) => ({ type: "permission.asked", properties: { id: `p-${permission}`, sessionID: call.sessionID, permission, tool: { callID } } })
  for (const tool of ["bash", "edit", "read", "doom_loop"]) await hooks.event({ event: asked(tool, "c1") })
  await hooks.event({ event: asked("bash", "c2") })
  await hooks["tool.execute.after"]({ ...call, args }, result)
  return { ran: true, said: result.output, system, logged, config, replies }
}

/** Pi: a handler that throws, or returns a block, blocks the call. */
async function pi(module, name) {
  const handlers = {}
  const logged = []
  module.default({ on: (event, handler) => void (handlers[event] = handler) })
  const shown = []
  const select = async (title, options) => {
    shown.push([title, ...options])
    return options[name === "approved" ? 1 : 0]
  }
  const ui = { notify: (text) => logged.push(text), select }
  const ctx = { cwd: "/w/p", hasUI: true, mode: "tui", ui, sessionManager: { getSessionId: () => "top" } }
  if (name === "unknown-session") ctx.sessionManager = undefined
  const call = { toolName: "bash", toolCallId: "c1", input: name === "circular" ? { self: null } : { ...input } }
  if (name === "circular") call.input.self = call.input
  if (ctx.sessionManager) {
    await handlers.session_start({}, ctx)
    await handlers.input({ text: "please", source: "interactive" }, ctx)
    await handlers.input({ text: "not me", source: "extension" }, ctx)
  }
  const system = (await handlers.before_agent_start({ systemPrompt: "be good" }, ctx))?.systemPrompt
  const answer = await handlers.tool_call({ type: "tool_call", ...call }, ctx)
  if (answer?.block) return { ran: false, said: answer.reason, system: system ? [system] : [], logged, shown }
  const content = [{ type: "text", text: "it ran" }]
  const changed = await handlers.tool_result({ ...call, content, isError: false }, ctx)
  return { ran: true, said: (changed?.content ?? content).map((part) => part.text).join("\n"), system: system ? [system] : [], logged, shown }
}

const results = await Promise.all(
  files.map(async (file) => {
    const name = file.replace(/^.*[\\/]|\.mjs$/g, "")
    const module = await import(pathToFileURL(file))
    return [name, await (client === "pi" ? pi : opencode)(module, name)]
  }),
)
process.stdout.write(JSON.stringify(Object.fromEntries(results)))
