import { leadToSecondStep } from 'second-factor/browser'

const heading = document.querySelector('h1')
const login = document.querySelector('form')

/** As the catch-all route of a router does. */
if (ROUTER && location.pathname !== '/orders') history.replaceState(null, '', '/orders')

login.addEventListener('submit', (event) => {
  event.preventDefault()
  void signIn()
})

async function signIn() {
  await fetch('/api/login', { method: 'POST', body: new URLSearchParams(new FormData(login)) })
  login.hidden = true
  await show()
}

async function show() {
  const answer = await fetch('/api/orders')
  if (answer.status === 401) {
    heading.textContent = 'Sign in'
    login.hidden = false
    return
  }
  if (await leadToSecondStep(answer)) return
  heading.textContent = `Orders: ${(await answer.json()).orders}`
}

addEventListener('unhandledrejection', ({ reason }) => {
  heading.textContent = reason.message
})
void show()
