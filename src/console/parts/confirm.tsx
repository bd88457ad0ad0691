import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

import { Button } from '../../ui/button.tsx'
import { Problem } from '../../ui/messages.tsx'
import { useAttempt } from '../hooks/use-attempt.ts'
import { useWords } from '../words/speech.tsx'

interface DialogProps {
  readonly title: string
  readonly children: (close: () => void) => ComponentChildren
  /** Whether only `close` closes it. */
  readonly locked?: boolean
  readonly onClose: () => void
}

/** A dialog over the page. Escape closes it, and the browser returns the focus to the button that opened it. */
export function Dialog({ title, children, locked = false, onClose }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const isOver = useRef(false)

  function close() {
    isOver.current = true
    // Its screen may have been left meanwhile, by the browser's way back.
    if (dialog.current) dialog.current.close()
    else onClose()
  }
  function closed() {
    // Browsers let a person leave at the second attempt, whatever the page says.
    if (locked && !isOver.current) dialog.current?.showModal()
    else onClose()
  }
  useLayoutEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog
      ref={dialog}
      aria-labelledby="question"
      onCancel={(event) => {
        if (locked) event.preventDefault()
      }}
      onClose={closed}
    >
      <h2 id="question">{title}</h2>
      {children(close)}
    </dialog>
  )
}

interface ConfirmProps {
  /** A question that names the person or thing. */
  readonly title: string
  readonly children: ComponentChildren
  /** The label of the button. */
  readonly action: string
  /** Takes nothing away. */
  readonly harmless?: boolean
  /** Whether something is still being read that has to be known first. */
  readonly waiting?: boolean
  /** Resolves to false where the question stays open. */
  readonly onConfirm: () => Promise<boolean | void>
  readonly onClose: () => void
}

/** Asks before what matters, or cannot be undone. It stays while the action runs: what this makes may be shown only once. */
export function Confirm({
  title,
  children,
  action,
  harmless = false,
  waiting = false,
  onConfirm,
  onClose,
}: ConfirmProps) {
  const words = useWords()
  const { busy, problem, run } = useAttempt()

  return (
    <Dialog title={title} locked={busy} onClose={onClose}>
      {(close) => (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            if (busy || waiting) return
            void run(async () => {
              if ((await onConfirm()) !== false) close()
            })
          }}
        >
          <div class="sentence">{children}</div>
          <Problem text={problem} />
          <div class="actions">
            <Button class="outlined" aria-disabled={busy} onClick={() => busy || close()} label={words.cancel} />
            <Button
              type="submit"
              class={harmless ? 'filled' : 'filled danger'}
              aria-disabled={busy || waiting}
              label={action}
            />
          </div>
        </form>
      )}
    </Dialog>
  )
}
