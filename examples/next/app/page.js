import Link from 'next/link'

import { secondStep } from '../second-step.js'

export default async function Home() {
  const { factor } = await secondStep()
  return (
    <>
      <h1>Home</h1>
      <p>You passed by {factor}.</p>
      <Link href="/transfer">Send money</Link>
      <form method="post" action="/logout">
        <button>Sign out</button>
      </form>
    </>
  )
}
