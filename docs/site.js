// A field on the page of rules: what is typed leaves the rules that have all of its words, in their name, title, reason or tags. Nothing is fetched.
document.addEventListener("DOMContentLoaded", () => {
  const content = document.querySelector("article")
  const heads = content ? [...content.querySelectorAll("h3[id]")] : []
  if (!/\/rules(\.html|\/)?$/.test(location.pathname) || heads.length < 20) return
  const parts = heads.map((head) => {
    const nodes = [head]
    for (let next = head.nextElementSibling; next && !/^H[123]$/.test(next.tagName); next = next.nextElementSibling) nodes.push(next)
    return { nodes, text: nodes.map((node) => node.textContent).join(" ").toLowerCase() }
  })
  const field = document.createElement("input")
  const count = document.createElement("span")
  field.type = "search"
  field.placeholder = "Filter rules: git push, deny, secret ..."
  field.setAttribute("aria-label", "Filter rules")
  field.className = "rules-filter"
  count.className = "rules-count"
  count.setAttribute("role", "status")
  content.querySelector("h1").after(field, count)
  const rows = new Map([...content.querySelectorAll("tbody tr")].map((row) => [row.querySelector("a")?.hash.slice(1), row]))
  const filter = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean)
    let left = 0
    for (const { nodes, text } of parts) {
      const shown = words.every((word) => text.includes(word))
      left += shown
      for (const node of [...nodes, rows.get(nodes[0].id)]) if (node) node.hidden = !shown
    }
    count.textContent = words.length ? `${left} of ${parts.length} rules` : ""
  }
  field.addEventListener("input", filter)
  field.value = new URLSearchParams(location.search).get("q") ?? "" // rules.html?q=git+push
  filter()
})
