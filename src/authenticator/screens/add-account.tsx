import { useEffect, useState } from 'preact/hooks'

import { MoveCode } from '../../contract/device.ts'
import { type Preview } from '../../contract/device-answers.ts'
import type { Clock } from '../../ground/clock.ts'
import type { Device } from '../../device/device.ts'
import { isGone } from '../../device/device-error.ts'
import type { StoredAccount } from '../accounts/accounts-store.ts'
import { parseCodeInput } from '../accounts/link.ts'
import type { Accounts } from '../accounts/use-accounts.ts'
import { deviceName } from '../../ui/device-name.ts'
import { mustInstallFirst } from '../hooks/install.ts'
import { useAttempt } from '../hooks/use-attempt.ts'
import { lazyScreen } from '../../ui/lazy-screen.tsx'
import { useWords } from '../words/speech.tsx'
import { CodeForm } from './code-form.tsx'
import { ConfirmAccount } from './confirm-account.tsx'
import { InstallFirstScreen } from './install-first.tsx'
import { NewPinScreen } from './new-pin.tsx'

interface AddAccountScreenProps {
  /** The accounts of this device. */
  readonly list: readonly StoredAccount[]
  readonly accounts: Pick<Accounts, 'remove'>
  readonly device: Device
  readonly clock: Clock
  readonly serviceUrl: string
  /** The code in the link that opened this page. */
  readonly code: string | undefined
  /** Makes sure that an account can be stored, before its code is used up. */
  readonly ensureWritable: () => Promise<void>
  readonly onAdded: (account: StoredAccount) => Promise<void>
  /** Absent where there is nothing to go back to. */
  readonly onCancel: (() => void) | undefined
}

/** The account that a code would join. */
interface Offer {
  readonly code: string
  readonly preview: Preview
}

type Step = 'install' | 'code' | 'scan' | 'offer' | 'pin' | 'move'

const ScanScreen = lazyScreen(async () => (await import('./scan.tsx')).ScanScreen)
const ClaimAccount = lazyScreen(async () => (await import('./claim-account.tsx')).ClaimAccountScreen)

const isMove = (code: string | undefined) => MoveCode.safeParse(code).success

/** Adds an account: asks for the code, shows the account, asks for a new PIN where the domain requires one, and activates. */
export function AddAccountScreen(props: AddAccountScreenProps) {
  const { list, accounts, device, clock, serviceUrl, code, ensureWritable, onCancel } = props
  const words = useWords()
  const [step, setStep] = useState<Step>(() => (mustInstallFirst() ? 'install' : isMove(code) ? 'move' : 'code'))
  /** The code in a link that an old phone shows. */
  const [moveCode, setMoveCode] = useState(code)
  const [offer, setOffer] = useState<Offer>()
  const { busy, problem, showProblem, run } = useAttempt(code !== undefined && !isMove(code) && step === 'code')
  const isAdded = (usedCode: string) => list.some((account) => account.code === usedCode)

  /** Where the new device has replaced one that was this one, too, its account goes: it would be said to be elsewhere. */
  async function onAdded(added: StoredAccount) {
    await props.onAdded(added)
    await Promise.all(
      list.filter((each) => isSame(each, added)).map((each) => removeIfGone({ device, accounts }, each)),
    )
  }
  const look = (enteredCode: string) =>
    run(async () => {
      // Its link was opened again: a look would cost an attempt, as for a wrong code.
      if (isAdded(enteredCode)) return onCancel?.()
      setOffer({ code: enteredCode, preview: await device.preview(serviceUrl, enteredCode) })
      setStep('offer')
    })
  const join = ({ code: enteredCode, preview }: Offer, pin?: string) =>
    run(async () => {
      const name = deviceName(navigator.userAgent)
      await ensureWritable()
      await onAdded({ ...(await device.activate(serviceUrl, enteredCode, { name, preview, pin })), code: enteredCode })
    })
  // Once, and not each time the person comes back to the code: then the code that is typed or scanned counts.
  const begin = () => {
    if (isMove(code)) return setStep('move')
    setStep('code')
    if (code !== undefined) void look(code)
  }
  useEffect(() => {
    // From here on, a page that is loaded again has no use for the code of its link.
    document.querySelector('.not-loaded')?.removeAttribute('action')
    if (step !== 'install') begin()
  }, [])
  useEffect(() => {
    // Another tab has added it.
    if (offer && isAdded(offer.code)) onCancel?.()
  }, [list])

  function read(text: string) {
    setStep('code')
    const input = parseCodeInput(text, serviceUrl)
    if ('wrong' in input) return showProblem(words[input.wrong])
    if (!isMove(input.code)) return void look(input.code)
    setMoveCode(input.code)
    setStep('move')
  }
  function confirm(confirmed: Offer) {
    if (confirmed.preview.domain.keyType === 'NONE') void join(confirmed)
    else setStep('pin')
  }

  if (step === 'install') return <InstallFirstScreen code={isMove(code) ? undefined : code} onSkip={begin} />
  if (step === 'scan') return <ScanScreen clock={clock} onRead={read} onCancel={() => setStep('code')} />
  if (step === 'move' && moveCode !== undefined) {
    const parts = { device, clock, serviceUrl, code: moveCode, ensureWritable, onAdded }
    return <ClaimAccount {...parts} onCancel={onCancel ?? (() => setStep('code'))} />
  }
  if (!offer || step === 'code') {
    const scan = () => {
      showProblem(undefined)
      setStep('scan')
    }
    return (
      <CodeForm {...{ code: isMove(code) ? undefined : code, busy, problem, onCode: read, onScan: scan, onCancel }} />
    )
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
    <ConfirmAccount
      preview={offer.preview}
      busy={busy}
      problem={problem}
      onJoin={() => confirm(offer)}
      onCancel={leave}
    />
  )
}

const isSame = (one: StoredAccount, other: StoredAccount): boolean =>
  one.id !== other.id &&
  one.service === other.service &&
  one.domain.id === other.domain.id &&
  one.user.username === other.user.username

/** Asks the service: the name alone may be that of another user by now. */
async function removeIfGone(
  { device, accounts }: Pick<AddAccountScreenProps, 'device' | 'accounts'>,
  account: StoredAccount,
): Promise<void> {
  try {
    await device.requests(account)
  } catch (error) {
    if (isGone(error)) await accounts.remove(account.id)
  }
}
