import { useEffect, useState } from 'preact/hooks'

import type { Account } from '../device/account.ts'
import { messages } from './messages.ts'
import { useOfflineCode } from './use-offline-code.ts'
import { useVisible } from './use-visible.ts'

interface OfflineCodeProps {
  readonly account: Account
  /** Unix time by this device's clock, seconds. */
  readonly now: number
}

/** The code to type where approving does not work. Hidden until it is asked for, and again when the page is left. */
export function OfflineCodeLine({ account, now }: OfflineCodeProps) {
  const [shown, setShown] = useState(false)
  const [copied, setCopied] = useState<string>()
  const code = useOfflineCode(account, shown, now)
  const visible = useVisible()

  useEffect(() => {
    if (!visible.now) setShown(false)
  }, [visible])

  async function copy(digits: string) {
    try {
      await navigator.clipboard.writeText(digits)
      setCopied(digits)
    } catch {
      // The browser does not let it: the code stands there to be read.
    }
  }

  if (!code) {
    return (
      <p class="code-line">
        <button
          type="button"
          class="link"
          aria-label={messages.showCodeOf(account.domain.name, account.user.username)}
          onClick={() => setShown(true)}
        >
          {messages.showCode}
        </button>
      </p>
    )
  }
  const spaced = `${code.code.slice(0, 3)} ${code.code.slice(3)}`
  return (
    <p class="code-line">
      <button type="button" class="code" aria-label={messages.copyCode(spaced)} onClick={() => void copy(code.code)}>
        {spaced}
        {copied === code.code ? null : <small>{messages.copyHint}</small>}
      </button>
      <small role="status">{copied === code.code ? messages.copied : null}</small>
      <small class="code-left" aria-hidden="true">
        {messages.codeLeft(Math.max(0, code.expiresAt - now))}
      </small>
    </p>
  )
}
