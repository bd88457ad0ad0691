import { useEffect, useState } from 'preact/hooks'

import { requiredSecret } from '../../device/account.ts'
import { type CodeSource, type OfflineCode, unlockCodes } from '../../device/offline-code.ts'
import { Button } from '../../ui/button.tsx'
import { nameOf } from '../accounts/use-accounts.ts'
import type { StoredAccount } from '../accounts/accounts-store.ts'
import { Ring } from '../parts/ring.tsx'
import { focus, SecretField } from '../parts/secret-field.tsx'
import { useOfflineCode } from './use-offline-code.ts'
import { useVisible } from '../hooks/use-visible.ts'
import { nameOfUser } from '../accounts/user-name.ts'
import { useWords } from '../words/speech.tsx'

interface OfflineCodeProps {
  readonly account: StoredAccount
  /** Unix time by this device's clock, seconds. */
  readonly now: number
}

/** How long a code is valid, seconds (RFC 6238). */
const period = 30

/** The offline code of an account. Hidden until the person asks for it, and again when the page is left. */
export function OfflineCodeLine({ account, now }: OfflineCodeProps) {
  const words = useWords()
  const [isAsking, setAsking] = useState(false)
  const [hasAsked, setAsked] = useState(false)
  const [source, setSource] = useState<CodeSource>()
  const code = useOfflineCode(source, now)
  const visible = useVisible()
  const secret = requiredSecret(account)

  function hide() {
    setSource(undefined)
    setAsking(false)
  }
  useEffect(() => {
    if (!visible.now) hide()
  }, [visible])

  if (code) return <CodeLine code={code} now={now} />
  if (isAsking && secret) {
    return <CodePin secret={secret} onPin={async (pin) => setSource(await unlockCodes(account, pin))} onCancel={hide} />
  }
  return (
    <p class="code-line" ref={hasAsked ? focusButton : null}>
      <Button
        class="link"
        aria-label={words.showCodeOf(words.at(nameOfUser(account.user), nameOf(account)))}
        onClick={() => {
          setAsked(true)
          if (secret) setAsking(true)
          else setSource(account)
        }}
        label={words.showCode}
      />
    </p>
  )
}

/** Takes the focus after the code or its PIN: their own buttons are gone, and the focus with them. */
const focusButton = (line: HTMLElement | null) => focus(line?.querySelector('button') ?? null)

function CodeLine({ code: { code, expiresAt }, now }: { readonly code: OfflineCode; readonly now: number }) {
  const words = useWords()
  const [copied, setCopied] = useState<string>()
  const remaining = Math.max(0, expiresAt - now)
  const spacedCode = `${code.slice(0, 3)} ${code.slice(3)}`

  async function copy() {
    try {
      await navigator.clipboard.writeText(code)
      setCopied(code)
    } catch {
      // The browser forbids copying; the code is still readable.
    }
  }
  return (
    <p class="code-line">
      <button type="button" class="code" onClick={() => void copy()} ref={focus}>
        <bdi dir="ltr">{spacedCode}</bdi>
        {copied === code ? null : <small> {words.copyHint}</small>}
      </button>
      <small role="status">{copied === code ? words.copied : null}</small>
      <small class="code-left" aria-hidden="true">
        {words.codeLeft(remaining)}
        <Ring share={remaining / period} />
      </small>
    </p>
  )
}

interface CodePinProps {
  readonly secret: 'PIN' | 'PASSCODE'
  readonly onPin: (pin: string) => Promise<void>
  readonly onCancel: () => void
}

/** Asks for the PIN. The device cannot verify it, so a thief of the device learns nothing from trying. */
function CodePin({ secret, onPin, onCancel }: CodePinProps) {
  const words = useWords()
  const [busy, setBusy] = useState(false)

  function submit(event: SubmitEvent & { readonly currentTarget: HTMLFormElement }) {
    event.preventDefault()
    const pin = new FormData(event.currentTarget).get('pin')
    if (typeof pin !== 'string' || busy) return
    setBusy(true)
    void onPin(pin)
  }
  return (
    <form class="code-pin" onSubmit={submit}>
      <SecretField kind={secret} name="pin" label={secret === 'PIN' ? words.yourPin : words.yourPasscode} focused />
      <small>{words.codePinHint}</small>
      <div class="actions">
        <Button class="outlined" onClick={onCancel} label={words.cancel} />
        <Button type="submit" class="filled" disabled={busy} label={busy ? words.oneMoment : words.showCode} />
      </div>
    </form>
  )
}
