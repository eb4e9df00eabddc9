// Sends the page's forms without leaving it. Without this script they work the same:
// the server answers every form with a whole page, and parts of that are put here.
"use strict";

const announcer = document.getElementById("announcer");
let shownPath = window.location.pathname;
const calm = window.matchMedia("(prefers-reduced-motion: reduce)");

function announce(text) {
  announcer.textContent = "";
  // Emptied first, so that the same words twice are read twice.
  window.setTimeout(() => { announcer.textContent = text; }, 50);
}

async function send(form, submitter) {
  const body = new FormData(form, submitter);
  const response = await fetch(form.action, { method: "POST", body });
  return arrived(response);
}

async function arrived(response) {
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  return { page, response };
}

function replace(id, page) {
  const fresh = page.getElementById(id);
  const old = document.getElementById(id);
  if (!fresh || !old) return null;
  const placed = document.importNode(fresh, true);
  old.replaceWith(placed);
  return placed;
}

function showPending(question) {
  const card = document.getElementById("pending").content.cloneNode(true).firstElementChild;
  card.querySelector("[data-question]").textContent = question;
  document.getElementById("thread").append(card);
  card.scrollIntoView({ block: "nearest", behavior: calm.matches ? "auto" : "smooth" });
  return card;
}

function showProblem(form, text) {
  const problem = form.querySelector("#problem");
  problem.textContent = text;
  problem.hidden = false;
}

function readAnswer() {
  const answers = document.querySelectorAll("#thread [data-answer]");
  const last = answers[answers.length - 1];
  if (last) announce(last.textContent.replace(/\s+/g, " ").trim().slice(0, 600));
}

function showThread({ page, response }) {
  const thread = replace("thread", page);
  if (!thread) return false;
  replace("threads", page);
  replace("ask", page);
  prepareForm();
  document.title = page.title;
  if (window.location.pathname !== new URL(response.url).pathname) {
    window.history.pushState({}, "", response.url.split("#")[0]);
    shownPath = window.location.pathname;
  }
  const last = thread.lastElementChild;
  last.scrollIntoView({ block: "start", behavior: calm.matches ? "auto" : "smooth" });
  document.getElementById("question").focus({ preventScroll: true });
  readAnswer();
  return true;
}

function setBusy(form, busy) {
  form.toggleAttribute("data-busy", busy);
  form.setAttribute("aria-busy", String(busy));
  form.querySelector("button").disabled = busy;
  form.querySelector("textarea").readOnly = busy;
}

async function ask(form, submitter) {
  if (form.hasAttribute("data-busy")) return;
  const question = form.querySelector("textarea").value.trim();
  const card = question ? showPending(question) : null;
  if (card) announce("Searching your documents.");
  setBusy(form, true);
  try {
    const answer = await send(form, submitter);
    if (answer.response.status === 422) {
      card?.remove();
      replace("ask", answer.page);
      prepareForm();
      document.getElementById("question").focus();
    } else if (!answer.response.ok || !showThread(answer)) {
      // Signed out, or an error page: show what the server says.
      window.location.assign(answer.response.ok ? answer.response.url : form.action);
    } else {
      poll();
    }
  } catch {
    card?.remove();
    setBusy(form, false);
    showProblem(form, "Attest can't be reached. Your question is still here: try again in a moment.");
  }
}

async function giveFeedback(form, submitter) {
  const part = form.closest(".feedback");
  if (part.hasAttribute("data-busy")) return;
  part.setAttribute("data-busy", "");
  try {
    const { page, response } = await send(form, submitter);
    const placed = replace(part.id, page);
    if (!placed) { window.location.assign(response.url); return; }
    if (submitter?.value === "down") placed.querySelector("details").open = true;
    const again = submitter?.id && document.getElementById(submitter.id);
    (again || placed.querySelector("button")).focus();
    announce(placed.querySelector("[role=status], [role=alert]")?.textContent || "Taken back.");
  } catch {
    part.removeAttribute("data-busy");
    announce("Attest can't be reached. Try again in a moment.");
  }
}

function prepareForm() {
  const form = document.getElementById("ask");
  const box = form.querySelector("textarea");
  const limit = Number(box.dataset.limit);
  const count = form.querySelector("[data-count]");
  form.querySelector("[data-hint]").hidden = box.disabled;
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  });
  box.addEventListener("input", () => {
    const left = limit - box.value.trim().length;
    count.hidden = left > limit / 10;
    count.textContent = left < 0 ? `${-left} characters too many` : `${left} characters left`;
  });
}

async function poll() {
  const thread = document.getElementById("thread");
  if (!thread.hasAttribute("data-pending")) return;
  await new Promise((done) => { window.setTimeout(done, 2000); });
  try {
    const { page } = await arrived(await fetch(window.location.href));
    if (replace("thread", page) && !page.querySelector("#thread[data-pending]")) readAnswer();
  } catch {
    // The next round may find it again.
  }
  poll();
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.matches("[data-ask]")) {
    event.preventDefault();
    ask(form, event.submitter);
  } else if (form.matches("[data-feedback]")) {
    event.preventDefault();
    giveFeedback(form, event.submitter);
  }
});
window.addEventListener("popstate", () => {
  // A jump to a source is one too, and needs no other page.
  if (window.location.pathname !== shownPath) window.location.reload();
});
prepareForm();
poll();
