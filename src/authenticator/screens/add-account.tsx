import { useEffect, useState } from 'preact/hooks'

import type { Preview } from '../../contract/device.ts'
import type { Account } from '../../device/account.ts'
import type { Device } from '../../device/device.ts'
import { readTyped } from '../activation-link.ts'
import { Card, Problem } from '../card.tsx'
import { deviceName } from '../device-name.ts'
import { messages, problems } from '../messages.ts'
import { problemOf } from '../problem.ts'

interface AddAccountScreenProps {
  readonly device: Device
  readonly serviceUrl: string
  /** Of the link this page was opened with. */
  readonly code: string | undefined
  readonly onAdded: (account: Account) => Promise<void>
  /** Absent where there is nothing to go back to. */
  readonly onCancel: (() => void) | undefined
}

/** What a code would join. */
interface Offer {
  readonly code: string
  readonly preview: Preview
}

/** Takes a code, shows what it would join, and joins when told to. */
export function AddAccountScreen({ device, serviceUrl, code, onAdded, onCancel }: AddAccountScreenProps) {
  const [offer, setOffer] = useState<Offer>()
  const [busy, setBusy] = useState(code !== undefined)
  const [problem, setProblem] = useState<string>()

  async function attempt(action: () => Promise<void>) {
    setBusy(true)
    setProblem(undefined)
    try {
      await action()
    } catch (error) {
      setProblem(problemOf(error))
    }
    setBusy(false)
  }
  const look = (wanted: string) =>
    attempt(async () => setOffer({ code: wanted, preview: await device.preview(serviceUrl, wanted) }))
  const join = ({ code: wanted, preview }: Offer) =>
    attempt(async () => {
      const name = deviceName(navigator.userAgent)
      await onAdded(await device.activate(serviceUrl, wanted, { name, preview }))
    })

  useEffect(() => {
    if (code !== undefined) void look(code)
  }, [code])

  function typed(text: string) {
    const read = readTyped(text, serviceUrl)
    if ('wrong' in read) setProblem(problems[read.wrong])
    else void look(read.code)
  }

  if (!offer) return <CodeForm code={code} busy={busy} problem={problem} onCode={typed} onCancel={onCancel} />
  return (
    <Confirm
      preview={offer.preview}
      busy={busy}
      problem={problem}
      onJoin={() => void join(offer)}
      onCancel={onCancel ?? (() => setOffer(undefined))}
    />
  )
}

interface CodeFormProps {
  readonly code: string | undefined
  readonly busy: boolean
  readonly problem: string | undefined
  readonly onCode: (text: string) => void
  readonly onCancel: (() => void) | undefined
}

function CodeForm({ code, busy, problem, onCode, onCancel }: CodeFormProps) {
  function submit(event: SubmitEvent & { readonly currentTarget: HTMLFormElement }) {
    event.preventDefault()
    const text = new FormData(event.currentTarget).get('code')
    if (typeof text === 'string') onCode(text)
  }
  return (
    <Card title={messages.addTitle}>
      <p class="sentence">{messages.addSentence}</p>
      <form onSubmit={submit}>
        <label class="field">
          <span>{messages.codeLabel}</span>
          <input
            name="code"
            type="text"
            defaultValue={code ?? ''}
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            required
          />
        </label>
        <Problem text={problem} />
        <div class="actions">
          {onCancel ? (
            <button type="button" class="outlined" onClick={onCancel}>
              {messages.cancel}
            </button>
          ) : null}
          <button type="submit" class="filled" disabled={busy}>
            {busy ? messages.looking : messages.continue}
          </button>
        </div>
      </form>
    </Card>
  )
}

interface ConfirmProps {
  readonly preview: Preview
  readonly busy: boolean
  readonly problem: string | undefined
  readonly onJoin: () => void
  readonly onCancel: () => void
}

function Confirm({ preview, busy, problem, onJoin, onCancel }: ConfirmProps) {
  const facts = [
    [messages.domain, preview.domain.name],
    [messages.organization, preview.organization.name],
    [messages.user, preview.user.username],
  ]
  return (
    <Card title={messages.previewTitle}>
      <p class="sentence">{messages.previewSentence}</p>
      <dl class="facts">
        {facts.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <Problem text={problem} />
      <div class="actions main-right">
        <button type="button" class="outlined" disabled={busy} onClick={onCancel}>
          {messages.cancel}
        </button>
        <button type="button" class="filled" disabled={busy} onClick={onJoin}>
          {messages.addThis}
        </button>
      </div>
    </Card>
  )
}
