import { leadToSecondStep } from '/second-factor/index.js'

const login = document.getElementById('login')
const logout = document.getElementById('logout')

/** Shows what `#/reports?year=2026` names. */
async function show() {
  const name = location.hash.slice(2) || 'reports'
  const answer = await fetch(`/api/${name}`)
  if (await leadToSecondStep(answer)) return
  const signedOut = answer.status === 401
  const { title } = signedOut ? { title: 'Sign in' } : await answer.json()
  document.querySelector('h1').textContent = title
  login.hidden = !signedOut
  logout.hidden = signedOut
}

login.addEventListener('submit', async (event) => {
  event.preventDefault()
  await fetch('/api/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(Object.fromEntries(new FormData(login))),
  })
  await show()
})

addEventListener('hashchange', show)
await show()
