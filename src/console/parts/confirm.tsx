import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

import { Button } from '../../ui/button.tsx'
import { Problem } from '../../ui/messages.tsx'
import { useWords } from '../words/speech.tsx'
import { useAttempt } from '../use-attempt.ts'

interface ConfirmProps {
  /** A question that names the person or thing. */
  readonly title: string
  readonly children: ComponentChildren
  /** What the button does. */
  readonly action: string
  readonly onConfirm: () => Promise<void>
  readonly onClose: () => void
}

/** Asks before what cannot be undone. Escape closes it, and the browser returns the focus to the button that opened it. */
export function Confirm({ title, children, action, onConfirm, onClose }: ConfirmProps) {
  const words = useWords()
  const dialog = useRef<HTMLDialogElement>(null)
  const { busy, problem, run } = useAttempt()

  useLayoutEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} aria-labelledby="question" onClose={onClose}>
      <h2 id="question">{title}</h2>
      <div class="sentence">{children}</div>
      <Problem text={problem} />
      <div class="actions">
        <Button class="outlined" onClick={() => dialog.current?.close()} label={words.cancel} />
        <Button
          class="filled danger"
          aria-disabled={busy}
          onClick={() =>
            busy ||
            void run(async () => {
              await onConfirm()
              dialog.current?.close()
            })
          }
          label={action}
        />
      </div>
    </dialog>
  )
}
