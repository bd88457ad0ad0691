import type { Account } from '../../device/account.ts'
import type { Device } from '../../device/device.ts'
import { isolated } from '../../ground/printable.ts'
import { Button } from '../../ui/button.tsx'
import { Problem } from '../../ui/messages.tsx'
import { Card } from '../parts/card.tsx'
import { useAttempt } from '../hooks/use-attempt.ts'
import { nameOfUser } from '../accounts/user-name.ts'
import { useWords } from '../words/speech.tsx'

interface RemoveAccountScreenProps {
  readonly device: Device
  readonly account: Account
  readonly onRemoved: () => Promise<void>
  readonly onCancel: () => void
}

/** Asks for confirmation, as the key cannot be restored. */
export function RemoveAccountScreen({ device, account, onRemoved, onCancel }: RemoveAccountScreenProps) {
  const words = useWords()
  const { busy, problem, run } = useAttempt()
  const remove = () =>
    run(async () => {
      await device.remove(account)
      await onRemoved()
    })

  return (
    <Card title={words.removeTitle}>
      <p class="sentence">{words.removeSentence(isolated(account.domain.name), isolated(nameOfUser(account.user)))}</p>
      <Problem text={problem} />
      <div class="actions">
        <Button class="outlined" onClick={onCancel} label={words.keep} />
        <Button class="filled danger" disabled={busy} onClick={() => void remove()} label={words.remove} />
      </div>
      {problem === undefined ? null : (
        <footer>
          <Button class="link" onClick={() => void run(onRemoved)} label={words.removeHereOnly} />
        </footer>
      )}
    </Card>
  )
}
