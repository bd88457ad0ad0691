import { useState } from 'preact/hooks'

import { Button } from '../../ui/button.tsx'
import { Problem } from '../../ui/messages.tsx'
import type { Device } from '../../device/device.ts'
import { lazyScreen } from '../../ui/lazy-screen.tsx'
import type { StoredAccount } from '../accounts/accounts-store.ts'
import { About, Card } from '../parts/card.tsx'
import { useAttempt } from '../hooks/use-attempt.ts'
import { nameOf } from '../accounts/use-accounts.ts'
import { nameOfUser } from '../accounts/user-name.ts'
import { useWords } from '../words/speech.tsx'

interface AccountScreenProps {
  readonly device: Device
  readonly account: StoredAccount
  readonly onRename: (label: string) => Promise<void>
  readonly onMove: () => void
  readonly onRemove: () => void
  readonly onBack: () => void
}

const BlockedRequesters = lazyScreen(async () => (await import('./blocked-requesters.tsx')).BlockedRequesters)

/** Rename, move or remove an account. */
export function AccountScreen({ device, account, onRename, onMove, onRemove, onBack }: AccountScreenProps) {
  const words = useWords()
  const [saved, setSaved] = useState(false)
  const { problem, run } = useAttempt()

  async function save(event: SubmitEvent & { readonly currentTarget: HTMLFormElement }) {
    event.preventDefault()
    const label = new FormData(event.currentTarget).get('label')
    if (typeof label !== 'string') return
    await run(async () => {
      await onRename(label)
      setSaved(true)
    })
  }
  return (
    <Card title={<bdi>{nameOf(account)}</bdi>} onBack={onBack}>
      <About domain={account.domain} serviceUrl={account.serviceUrl}>
        <strong>
          <bdi>{nameOfUser(account.user)}</bdi>
        </strong>
        <small>
          <bdi>{account.domain.name}</bdi>
          {account.organization.name !== account.domain.name && (
            <>
              , <bdi>{account.organization.name}</bdi>
            </>
          )}
        </small>
      </About>
      <form class="beside" onSubmit={(event) => void save(event)} onInput={() => setSaved(false)}>
        <label class="field">
          <span>{words.label}</span>
          <input
            name="label"
            type="text"
            maxLength={40}
            defaultValue={account.label ?? ''}
            placeholder={account.domain.name}
            autocomplete="off"
          />
        </label>
        <Button type="submit" class="outlined" label={saved ? words.saved : words.save} />
      </form>
      {problem === undefined ? null : <Problem text={problem} />}
      <BlockedRequesters device={device} account={account} />
      <section class="part">
        <p class="sentence">{words.moveSentence}</p>
        <Button class="outlined wide" onClick={onMove} label={words.moveTitle} />
      </section>
      <Button class="outlined danger wide" onClick={onRemove} label={words.removeAccount} />
    </Card>
  )
}
