// Asks interlock about every tool call before it runs; `interlock` has to be on OpenCode's PATH.
// Made by scripts/make_packages.py of src/interlock/integrations/plugins: do not edit it.
const GUARD = ["interlock", "hook", "opencode"]

import { spawn } from "node:child_process"

const DEADLINE = 25_000 // milliseconds; interlock itself answers within 15 seconds
const MOST = 1 << 20 // characters of an answer
const ANSWERED = 100 // the exit code of an answer: a program that merely ended well is none
const REFUSED = 2
const COMPLAINT = `so this call did not run. Tell the user; try: interlock doctor ${GUARD.at(-1)}`

/** Start interlock with one event. Never rejects: `{ code, out, err }`, or `{ broke }` with why there is no answer. */
function told(mode, event) {
  return new Promise((resolve) => {
    let timer
    const end = (said) => {
      clearTimeout(timer)
      resolve(said)
    }
    try {
      const given = JSON.stringify(event)
      const child = spawn(GUARD[0], [...GUARD.slice(1), mode], { stdio: ["pipe", "pipe", "pipe"], windowsHide: true })
      const said = ["", ""]
      timer = setTimeout(() => {
        child.kill("SIGKILL")
        end({ broke: `it ran out of time after ${DEADLINE / 1000} seconds` })
      }, DEADLINE)
      child.on("error", (error) => end({ broke: String(error?.message ?? error) }))
      child.on("close", (code, signal) => end(code === null ? { broke: `it was ended by ${signal}` } : { code, out: said[0], err: said[1] }))
      for (const [at, stream] of [child.stdout, child.stderr].entries()) {
        stream.setEncoding("utf8")
        stream.on("data", (text) => {
          if (said[at].length < MOST) said[at] += text
        })
      }
      child.stdin.on("error", () => {}) // it ended before it had read everything: its exit code tells
      child.stdin.end(given)
    } catch (error) {
      end({ broke: String(error?.message ?? error) })
    }
  })
}

/** What an answer says: `{ model, user, ask, yes }`, each maybe empty; `undefined` where it is no answer of interlock's. */
function words(out) {
  if (out === "") return { model: "", user: "", ask: "", yes: "" }
  try {
    const { hookSpecificOutput: own = {}, systemMessage: user = "" } = JSON.parse(out)
    const { permissionDecision: word, permissionDecisionReason: why = "", additionalContext: model = "" } = own
    const answer = { model, user, ask: word === "ask" ? why : "", yes: word === "allow" ? why : "" }
    const known = word === undefined || word === "ask" || word === "allow"
    return known && Object.values(answer).every((text) => typeof text === "string") && Object.values(answer).some(Boolean) ? answer : undefined
  } catch {
    return undefined
  }
}

/**
 * Have a call judged: returns the warning that it runs with, or `""`, and whether the client need not ask its user either, as `{ warning, proven }`;
 * throws the reason for which it must not run.
 * `approved`, where a person can be asked, shows them a reason and tells whether they approve.
 */
async function judge(event, approved) {
  const { code, out, err, broke } = await told("check", { hook_event_name: "PreToolUse", ...event })
  if (code === REFUSED && err.trim()) throw new Error(err.trim())
  const answer = code === ANSWERED ? words(out) : undefined
  if (!answer) throw new Error(`interlock failed (${broke ?? (code === ANSWERED ? "no answer" : `exit ${code}`)}), ${COMPLAINT}`)
  if (answer.ask && !(await approved?.(answer.ask))) throw new Error(`${answer.ask}\nThe user did not approve this call; it did not run.`)
  return { warning: answer.model || answer.user, proven: answer.yes !== "" }
}

/** Tell interlock of an event that asks nothing: returns what it says, `{ model, user }`; a failure is said to the user and stands in nobody's way. */
async function note(name, event) {
  const { code, out, err, broke } = await told("note", { hook_event_name: name, ...event })
  const answer = code === 0 ? words(out) : undefined
  const why = broke ?? (code === 0 ? "no answer" : `exit ${code}: ${err.trim().slice(0, 400)}`)
  return answer ?? { model: "", user: `interlock failed (${why}); this event was not recorded` }
}

// OpenCode loads nothing of this file when any of it throws, and says so to nobody: what may fail is done when it is needed. Where the file is not
// loaded, the line `"permission": { "**": "deny" }` in opencode.json holds, which this plugin lifts.
export const Interlock = async ({ client, directory }) => {
  const parents = new Map() // the session that started a session; "" for a person's own
  const greetings = new Map() // by a person's session: what the model is told about the guard
  const running = new Map() // the calls that were let through: the event, the warning, and whether the user need not be asked
  let permission = {} // what the user's settings say of permissions

  const parentOf = async (session) => {
    if (!parents.has(session)) {
      const late = new Promise((resolve) => setTimeout(resolve, DEADLINE, {}).unref())
      const { data } = await Promise.race([client.session.get({ path: { id: session } }), late])
      if (data?.id !== session) throw new Error(`interlock could not tell who started session ${session}, ${COMPLAINT}`)
      parents.set(session, data.parentID ?? "")
    }
    return parents.get(session)
  }

  /** A session as interlock knows it: a sub-agent's calls belong to the session of the person. */
  const place = async (session) => {
    let root = session
    for (let depth = 0, parent; (parent = await parentOf(root)); depth++) {
      if (depth > 100) throw new Error(`interlock could not tell who started session ${session}, ${COMPLAINT}`)
      root = parent
    }
    return { session_id: root, cwd: directory, ...(root === session ? {} : { agent_id: session }) }
  }

  const ended = async (name, callID, more) => {
    const call = running.get(callID)
    running.delete(callID)
    if (call) await tell(name, { ...call.event, ...more })
    return call?.warning
  }

  /** Tell interlock of an event; what it says to the user goes to the log, what it says to the model is returned. */
  const tell = async (name, event) => {
    const { model, user } = await note(name, event)
    if (user) await client.app.log({ body: { service: "interlock", level: "warn", message: user } }).catch(() => {})
    return model
  }

  /** Whether the settings ask about every use of a tool, and name none for which they do: a rule that names something is the user's own. */
  const asksAlways = (tool) => {
    const rule = permission[tool] ?? permission["*"]
    if (typeof rule !== "object") return rule === "ask"
    return Object.entries(rule ?? {}).every(([pattern, word]) => (word === "ask") === (pattern === "*"))
  }

  /** Answer OpenCode's own question about a call that is proven harmless, where the policy says so. */
  const permitted = async ({ id, sessionID, permission: tool, tool: call }) => {
    if (!running.get(call?.callID)?.proven || !asksAlways(tool)) return
    await client.postSessionIdPermissionsPermissionId({ path: { id: sessionID, permissionID: id }, body: { response: "once" } }).catch(() => {})
  }

  /** What the person wrote: `opencode run` puts quotes around words of its command line that hold spaces, and they would read as somebody else's. */
  const spoken = (text) => {
    const inner = text.slice(1, -1)
    const quoted = text.length > 1 && text.startsWith('"') && text.endsWith('"') && !/(^|[^\\])"/.test(inner)
    return quoted ? inner.replaceAll('\\"', '"') : text
  }

  return {
    config: async (config) => {
      if (config.permission && typeof config.permission === "object") delete config.permission["**"]
      permission = typeof config.permission === "object" ? { ...config.permission } : { "*": config.permission }
    },
    event: async ({ event }) => {
      const { info, part } = event.properties ?? {}
      if (event.type === "permission.asked") await permitted(event.properties ?? {})
      if (event.type === "session.created" && info?.id) parents.set(info.id, info.parentID ?? "")
      if (event.type === "message.part.updated" && part?.type === "tool" && part.state?.status === "error") {
        await ended("PostToolUseFailure", part.callID, { error: String(part.state.error ?? "") })
      }
    },
    "chat.message": async ({ sessionID }, { parts }) => {
      const where = await place(sessionID).catch(() => undefined)
      if (!where || where.agent_id) return // what a model asks of a sub-agent is no wish of the person
      if (!greetings.has(sessionID)) greetings.set(sessionID, await tell("SessionStart", where))
      const prompt = parts.filter((part) => part.type === "text" && !part.synthetic).map((part) => spoken(part.text))
      if (prompt.length) await tell("UserPromptSubmit", { ...where, prompt: prompt.join("\n") })
    },
    "experimental.chat.system.transform": async ({ sessionID }, { system }) => {
      const where = sessionID ? await place(sessionID).catch(() => undefined) : undefined
      const greeting = where && greetings.get(where.session_id)
      if (greeting) system.push(greeting)
    },
    "shell.env": async ({ sessionID, callID }, { env }) => {
      const where = sessionID ? await place(sessionID).catch(() => undefined) : undefined
      if (where) env.INTERLOCK_SESSION = where.session_id // by which `interlock stop` finds what this session started
      if (callID) env.INTERLOCK_TOOL_CALL = callID // and what this call did
    },
    "tool.execute.before": async ({ tool, sessionID, callID }, { args }) => {
      const event = { ...(await place(sessionID)), tool_name: tool, tool_input: args ?? {}, tool_use_id: callID }
      running.set(callID, { event, ...(await judge(event)) })
    },
    "tool.execute.after": async ({ callID }, result) => {
      const said = result?.output ?? result?.content
      const warning = await ended("PostToolUse", callID, { tool_response: said })
      if (!warning) return
      if (typeof result.output === "string") result.output += `\n\n${warning}`
      else if (Array.isArray(result.content)) result.content.push({ type: "text", text: warning })
    },
  }
}
