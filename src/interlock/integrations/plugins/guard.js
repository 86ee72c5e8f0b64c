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
