import { useEffect, useState } from 'preact/hooks'

import type { Preview } from '../../contract/device.ts'
import type { Clock } from '../../clock.ts'
import type { Account } from '../../device/account.ts'
import type { Device } from '../../device/device.ts'
import { parseCodeInput } from '../link.ts'
import { Button } from '../button.tsx'
import { Card, Facts, Problem } from '../card.tsx'
import { deviceName } from '../device-name.ts'
import { mustInstallFirst } from '../install.ts'
import { useAttempt } from '../use-attempt.ts'
import { useWords } from '../words/speech.tsx'
import { CodeForm } from './code-form.tsx'
import { InstallFirstScreen } from './install-first.tsx'
import { NewPinScreen } from './new-pin.tsx'
import { ScanScreen } from './scan.tsx'

interface AddAccountScreenProps {
  readonly device: Device
  readonly clock: Clock
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

type Step = 'install' | 'code' | 'scan' | 'offer' | 'pin'

/** Adds an account: asks for the code, shows the account, asks for a new PIN where the domain requires one, and activates. */
export function AddAccountScreen({ device, clock, serviceUrl, code, onAdded, onCancel }: AddAccountScreenProps) {
  const words = useWords()
  const [step, setStep] = useState<Step>(() => (mustInstallFirst() ? 'install' : 'code'))
  const [offer, setOffer] = useState<Offer>()
  const { busy, problem, showProblem, run } = useAttempt(code !== undefined && step === 'code')

  const look = (wanted: string) =>
    run(async () => {
      setOffer({ code: wanted, preview: await device.preview(serviceUrl, wanted) })
      setStep('offer')
    })
  const join = ({ code: wanted, preview }: Offer, pin?: string) =>
    run(async () => {
      const name = deviceName(navigator.userAgent)
      await onAdded(await device.activate(serviceUrl, wanted, { name, preview, pin }))
    })
  useEffect(() => {
    if (code !== undefined && step === 'code') void look(code)
  }, [code, step])

  function read(text: string) {
    setStep('code')
    const typed = parseCodeInput(text, serviceUrl)
    if ('wrong' in typed) showProblem(words[typed.wrong])
    else void look(typed.code)
  }
  function confirm(confirmed: Offer) {
    if (confirmed.preview.domain.keyType === 'NONE') void join(confirmed)
    else setStep('pin')
  }

  if (step === 'install') return <InstallFirstScreen code={code} onSkip={() => setStep('code')} />
  if (step === 'scan') return <ScanScreen clock={clock} onRead={read} onCancel={() => setStep('code')} />
  if (!offer || step === 'code') {
    const scan = () => {
      showProblem(undefined)
      setStep('scan')
    }
    return <CodeForm {...{ code, busy, problem, onCode: read, onScan: scan, onCancel }} />
  }
  const { keyType } = offer.preview.domain
  if (step === 'pin' && keyType !== 'NONE') {
    return (
      <NewPinScreen
        keyType={keyType}
        busy={busy}
        problem={problem}
        onPin={(pin) => void join(offer, pin)}
        onCancel={() => setStep('offer')}
      />
    )
  }
  const leave = onCancel ?? (() => setStep('code'))
  return (
    <Confirm preview={offer.preview} busy={busy} problem={problem} onJoin={() => confirm(offer)} onCancel={leave} />
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
  const words = useWords()
  const { name: domain } = preview.domain
  const { name: organization } = preview.organization
  // An app without its own organization uses one name for both.
  const facts = [
    { label: words.domain, value: domain },
    ...(organization === domain ? [] : [{ label: words.organization, value: organization }]),
    { label: words.user, value: preview.user.username },
  ]
  return (
    <Card title={words.previewTitle}>
      <p class="sentence">{words.previewSentence}</p>
      <Facts facts={facts} />
      <Problem text={problem} />
      <div class="actions main-right">
        <Button class="outlined" disabled={busy} onClick={onCancel} label={words.cancel} />
        <Button class="filled" disabled={busy} onClick={onJoin} label={words.addThis} />
      </div>
    </Card>
  )
}
