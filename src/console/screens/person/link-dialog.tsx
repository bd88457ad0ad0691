import { CopyButton } from '../../../ui/copy-button.tsx'
import { Button } from '../../../ui/button.tsx'
import { groupedCode } from './code-dialog.tsx'
import { Dialog } from '../../parts/confirm.tsx'
import { QrCode } from '../../parts/qr-code.tsx'
import { useDayTime } from '../../parts/time.tsx'
import { useWords } from '../../words/speech.tsx'
import type { ShownCode } from './action.ts'

interface LinkDialogProps {
  readonly title: string
  readonly code: string
  readonly link: NonNullable<ShownCode['link']>
  readonly onClose: () => void
}

/** A link that sets up a device: to scan, to copy, or its code to read out. */
export function LinkDialog({ title, code, link: { link, expiresAt }, onClose }: LinkDialogProps) {
  const words = useWords()
  const dayTime = useDayTime()
  return (
    <Dialog title={title} onClose={onClose}>
      {(close) => (
        <>
          <QrCode text={link} label={words.mail.qrCode} />
          <p class="big-code" dir="ltr">
            {groupedCode(code)}
          </p>
          <label class="field">
            <span>{words.mail.linkLabel}</span>
            <input value={link} readOnly onFocus={({ currentTarget }) => currentTarget.select()} dir="ltr" />
          </label>
          <p class="sentence">{words.validUntil(dayTime(expiresAt))}</p>
          <div class="actions">
            <CopyButton text={link} label={words.copyLink} done={words.copied} />
            <Button class="filled" onClick={close} label={words.done} />
          </div>
        </>
      )}
    </Dialog>
  )
}
