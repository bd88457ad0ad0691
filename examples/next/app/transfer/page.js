import { secondStep } from '../../second-step.js'
import { TransferForm } from './form.js'

async function transfer(_, form) {
  'use server'
  // Anyone can call an action at the address of any page, so the guard of this page is not enough.
  const { factor } = await secondStep({ maxAge: 300 })
  return `Sent ${form.get('amount')}, confirmed by ${factor}.`
}

export default async function Transfer() {
  await secondStep({ maxAge: 300 })
  return (
    <>
      <h1>Send money</h1>
      <TransferForm transfer={transfer} />
    </>
  )
}
