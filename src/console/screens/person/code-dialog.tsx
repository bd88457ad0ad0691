import { Button } from '../../../ui/button.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import type { ShownCode } from './action.ts'
import { useWords } from '../../words/speech.tsx'
import { Dialog } from '../../parts/confirm.tsx'

interface CodeDialogProps {
  readonly shownCode: Pick<ShownCode, 'title' | 'code'>
  readonly onClose: () => void
}

/** A new code, large enough to be read out. */
export function CodeDialog({ shownCode: { title, code }, onClose }: CodeDialogProps) {
  const words = useWords()
  return (
    <Dialog title={title} onClose={onClose}>
      {(close) => (
        <>
          <p class="big-code" dir="ltr">
            {groupedCode(code)}
          </p>
          <p class="sentence">{words.copyBeforeClosing}</p>
          <div class="actions">
            <CopyButton text={code} label={words.copyCode} done={words.copied} />
            <Button class="filled" onClick={close} label={words.done} />
          </div>
        </>
      )}
    </Dialog>
  )
}

/** A code in groups that people can read out: nine digits in threes, ten characters in fives. */
export function groupedCode(code: string): string {
  const size = code.length % 3 === 0 ? 3 : 5
  return code.match(new RegExp(`.{1,${size}}`, 'g'))?.join(' ') ?? code
}
