import { useLayoutEffect, useRef, useState } from 'preact/hooks'

import { useWords } from '../../words/speech.tsx'
import { SignInScreen, type SignInScreenProps } from './sign-in.tsx'

/**
 * The sign-in after a session has ended. It covers the screen, which stays as it is below: what was typed, chosen or shown once is
 * there again afterwards. A dialog itself, because dialogs of the screen would otherwise keep it from being used.
 */
export function SignInAgain(props: Omit<SignInScreenProps, 'ended'>) {
  const words = useWords()
  const dialog = useRef<HTMLDialogElement>(null)
  const [before] = useState(() => ({ title: document.title, focused: document.activeElement }))

  useLayoutEffect(() => {
    dialog.current?.showModal()
    dialog.current?.querySelector('h1')?.focus()
    return () => {
      document.title = before.title
      // The screen is visible again once all is drawn.
      queueMicrotask(() => before.focused instanceof HTMLElement && before.focused.focus())
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      class="cover"
      aria-label={words.signInTitle}
      onCancel={(event) => event.preventDefault()}
      // Browsers let a person leave at the second attempt.
      onClose={() => dialog.current?.showModal()}
    >
      <SignInScreen {...props} ended />
    </dialog>
  )
}
