'use client'
import { useActionState } from 'react'

export function TransferForm({ transfer }) {
  const [sent, send] = useActionState(transfer, '')
  return (
    <form action={send}>
      <label>
        Amount <input name="amount" />
      </label>
      <button>Send</button>
      <p>{sent}</p>
    </form>
  )
}
