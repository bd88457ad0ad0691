import { leadToSecondStep } from 'second-factor/browser'

const login = document.querySelector('#login')

/** Shows the view that the address names, such as `#/orders`. */
async function show() {
  const answer = await fetch(`/api/${location.hash.slice(2) || 'reports'}`)
  if (await leadToSecondStep(answer)) return // the browser is leaving this page, and will return to it
  const { title = 'Sign in', of } = await answer.json()
  document.querySelector('h1').textContent = of ? `${title} of ${of}` : title
  login.hidden = answer.ok
  document.querySelector('nav').hidden = !answer.ok
}

login.addEventListener('submit', async (event) => {
  event.preventDefault()
  const body = JSON.stringify(Object.fromEntries(new FormData(login)))
  await fetch('/api/login', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body })
  await show()
})

addEventListener('hashchange', show)
await show()
