// Makes pages live: clocks of the reader, new calls as they come, a few keys. Without it every page works.
"use strict";
(() => {
  const MOST = 200;
  const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });

  function day(at) {
    const two = (number) => String(number).padStart(2, "0");
    return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  }

  function local(root) {
    for (const time of root.querySelectorAll("time[datetime]")) {
      const at = new Date(time.dateTime);
      if (Number.isNaN(at.valueOf())) continue;
      const full = time.dataset.form === "full" || time.closest(".dated");
      time.textContent = (full ? `${day(at)} ` : "") + clock.format(at);
      time.title = time.dateTime;
    }
  }

  function piece(html) {
    const made = document.createElement("template");
    made.innerHTML = html; // written and escaped by the server; the page's policy runs no script in it
    local(made.content);
    return made.content;
  }

  function follow(feed) {
    const state = document.getElementById("state");
    const pause = document.getElementById("pause");
    const empty = document.getElementById("empty");
    const waiting = [];
    const paused = () => pause.getAttribute("aria-pressed") === "true";

    function say(on, text) {
      state.className = `state ${on ? "on" : "off"}`;
      if (state.textContent !== text) state.textContent = text;
    }

    function show(html) {
      const row = piece(html).querySelector("li");
      if (!row) return;
      const before = document.getElementById(row.id);
      if (before) return void before.replaceWith(row);
      row.classList.add("fresh");
      feed.prepend(row);
      empty.hidden = true;
      while (feed.children.length > MOST) feed.lastElementChild.remove();
    }

    const source = new EventSource(feed.dataset.stream);
    source.addEventListener("open", () => say(true, paused() ? "paused" : "as it happens"));
    const ended = () => (source.readyState === 2 ? "signed out: load this page anew" : "the service does not answer; trying again");
    source.addEventListener("error", () => say(false, ended()));
    source.addEventListener("call", (event) => {
      if (!paused()) return show(event.data);
      waiting.push(event.data);
      if (waiting.length > MOST) waiting.shift();
      say(true, `paused, ${waiting.length} new`);
    });
    source.addEventListener("hour", (event) => document.getElementById("hour").replaceChildren(piece(event.data)));
    pause.hidden = false;
    pause.addEventListener("click", () => {
      pause.setAttribute("aria-pressed", String(!paused()));
      pause.textContent = paused() ? "Go on" : "Pause";
      say(true, paused() ? "paused" : "as it happens");
      if (!paused()) waiting.splice(0).forEach(show);
    });
    addEventListener("pagehide", () => source.close());
  }

  // how long is left, second by second; what the page said stands for hours
  function count() {
    for (const left of document.querySelectorAll("[data-left]")) {
      const rest = Math.max(0, Number(left.dataset.left) - 1);
      left.dataset.left = rest;
      if (rest >= 7200) continue;
      left.textContent = rest ? `${Math.floor(rest / 60)}:${String(rest % 60).padStart(2, "0")} left` : "too late";
      left.classList.toggle("soon", rest < 60);
    }
  }

  // a part of a page that is not done yet: looked at again until the server says no more of it
  async function again(part) {
    const wait = Number(part.dataset.again);
    if (!wait) return;
    await new Promise((done) => setTimeout(done, wait));
    try {
      const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const fresh = answer.ok && page.getElementById(part.id);
      if (fresh) {
        local(fresh);
        part.replaceWith(fresh);
        return again(fresh);
      }
    } catch {
      // the service does not answer: the next look tries again
    }
    return again(part);
  }

  function move(by) {
    const links = [...document.querySelectorAll(".feed a, .cards a, .timeline a")];
    if (!links.length) return;
    const at = links.indexOf(document.activeElement);
    links[Math.min(Math.max(at + by, 0), links.length - 1)].focus();
  }

  function keys(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
    if (event.key === "/") document.querySelector("#q, .find input")?.focus();
    else if (event.key === "j") move(1);
    else if (event.key === "k") move(-1);
    else return;
    event.preventDefault();
  }

  // what is filled in is what is chosen
  function choose(event) {
    const radio = event.target.closest(".choice")?.querySelector("input[type=radio]");
    if (radio && event.target !== radio) radio.checked = true;
  }

  // a passkey: what the browser makes of it goes into the form, which is then sent as any other
  async function passkey(form, said) {
    const read = window.PublicKeyCredential;
    const options = JSON.parse(form.dataset.options);
    const make = form.dataset.passkey === "create";
    try {
      const found = make
        ? await navigator.credentials.create({ publicKey: read.parseCreationOptionsFromJSON(options) })
        : await navigator.credentials.get({ publicKey: read.parseRequestOptionsFromJSON(options) });
      form.elements.given.value = JSON.stringify(found.toJSON());
      form.submit();
    } catch (error) {
      said.textContent = error.name === "InvalidStateError" ? "This device has one already." : "Not done: your browser gave none.";
    }
  }

  if (window.PublicKeyCredential?.parseRequestOptionsFromJSON) {
    for (const form of document.querySelectorAll("[data-passkey]")) {
      form.hidden = false;
      form.addEventListener("submit", (event) => {
        event.preventDefault();
        passkey(form, form.querySelector("[role=status]"));
      });
    }
  }

  // the line that is named as wrong, marked in the text that it stands in
  function mark(event) {
    const link = event.target.closest("[data-line]");
    const text = link && document.getElementById(link.dataset.text);
    if (!text) return;
    event.preventDefault();
    const lines = text.value.split("\n");
    const at = Math.min(Math.max(Number(link.dataset.line), 1), lines.length) - 1;
    const start = lines.slice(0, at).join("\n").length + (at ? 1 : 0);
    text.focus();
    text.setSelectionRange(start, start + lines[at].length);
    text.scrollTop = (text.scrollHeight / lines.length) * Math.max(0, at - 3);
  }

  local(document);
  addEventListener("click", mark);
  addEventListener("keydown", keys);
  addEventListener("input", choose);
  setInterval(count, 1000);
  const feed = document.querySelector("[data-stream]");
  if (feed) follow(feed);
  const part = document.querySelector("[data-again]");
  if (part) again(part);
})();
