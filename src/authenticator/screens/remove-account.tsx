import { useState } from 'preact/hooks'

import type { Account } from '../../device/account.ts'
import type { Device } from '../../device/device.ts'
import { Card, Problem } from '../card.tsx'
import { messages } from '../messages.ts'
import { problemOf } from '../problem.ts'

interface RemoveAccountScreenProps {
  readonly device: Device
  readonly account: Account
  readonly onRemoved: () => void
  readonly onCancel: () => void
}

/** Asks once more; the key cannot be brought back. */
export function RemoveAccountScreen({ device, account, onRemoved, onCancel }: RemoveAccountScreenProps) {
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()

  async function remove() {
    setBusy(true)
    try {
      await device.remove(account)
      onRemoved()
    } catch (error) {
      setProblem(problemOf(error))
      setBusy(false)
    }
  }

  return (
    <Card title={messages.removeTitle}>
      <p class="sentence">{messages.removeSentence(account.domain.name, account.user.username)}</p>
      <Problem text={problem} />
      <div class="actions">
        <button type="button" class="outlined" onClick={onCancel}>
          {messages.keep}
        </button>
        <button type="button" class="filled danger" disabled={busy} onClick={() => void remove()}>
          {messages.remove}
        </button>
      </div>
      {problem === undefined ? null : (
        <footer>
          <button type="button" class="link" onClick={onRemoved}>
            {messages.removeHereOnly}
          </button>
        </footer>
      )}
    </Card>
  )
}
