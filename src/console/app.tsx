import { useEffect, useMemo, useRef, useState } from 'preact/hooks'

import type { AdminSession } from '../admin-contract/sign-in.ts'
import { createClient } from './client/client.ts'
import { forgetDrafts } from './session/drafts.ts'
import { apiBase } from './session/mount.ts'
import { Failed } from './parts/states.tsx'
import { ShownOnceProvider } from './parts/shown-once.tsx'
import { ToastProvider } from './parts/toast.tsx'
import { useProblem } from './hooks/problem.ts'
import { useRouter } from './session/router.tsx'
import { Entrance } from './screens/sign-in/entrance.tsx'
import { RegistrationScreen } from './screens/sign-in/registration.tsx'
import { SignInAgain } from './screens/sign-in/sign-in-again.tsx'
import { SignInScreen } from './screens/sign-in/sign-in.tsx'
import { SignedInProvider } from './session/session.tsx'
import { Shell } from './shell.tsx'
import type { Language } from './words/languages.ts'
import { useWords } from './words/speech.tsx'

export interface AppProps {
  /** The token of the invitation that the page was opened for. */
  readonly invitation: string | undefined
  readonly onLanguage: (language: Language) => void
}

/** Whether an administrator is signed in; `ended` after a session that the person did not end. */
type Stage =
  | { readonly name: 'starting' | 'out' | 'invited' }
  | { readonly name: 'failed'; readonly problem: string }
  | { readonly name: 'in' | 'ended'; readonly session: AdminSession }

export function App({ invitation, onLanguage }: AppProps) {
  const words = useWords()
  const problemOf = useProblem()
  const { go } = useRouter()
  const [stage, setStage] = useState<Stage>({ name: invitation === undefined ? 'starting' : 'invited' })
  /** Resolves when the administrator whose session has ended is signed in again. */
  const again = useRef(Promise.withResolvers<void>())
  const client = useMemo(
    () =>
      createClient(apiBase, () => {
        setStage((before) => ('session' in before ? { ...before, name: 'ended' } : { name: 'out' }))
        return again.current.promise
      }),
    [],
  )

  async function start() {
    try {
      signedIn(await client.call('GET /admin/session', {}))
    } catch (error) {
      setStage({ name: 'failed', problem: problemOf(error) ?? '' })
    }
  }
  function signedIn(session: AdminSession) {
    const { resolve } = again.current
    again.current = Promise.withResolvers()
    client.expect(session.administrator.id)
    if ('session' in stage && stage.session.administrator.id === session.administrator.id) resolve()
    setStage({ name: 'in', session })
  }
  useEffect(() => {
    if (stage.name === 'starting') void start()
  }, [stage.name])

  if (stage.name === 'starting') return null
  if (stage.name === 'failed') {
    return (
      <Entrance title={words.cannotStart} onLanguage={onLanguage}>
        <Failed problem={stage.problem} busy={false} onRetry={() => setStage({ name: 'starting' })} />
      </Entrance>
    )
  }
  if (stage.name === 'invited' && invitation !== undefined) {
    const onRegistered = (session: AdminSession) => {
      document.querySelector('.not-loaded')?.removeAttribute('action')
      go('', true)
      signedIn(session)
    }
    return <RegistrationScreen client={client} token={invitation} onRegistered={onRegistered} onLanguage={onLanguage} />
  }
  if (!('session' in stage)) {
    return <SignInScreen client={client} ended={false} onSignedIn={signedIn} onLanguage={onLanguage} />
  }
  const onSignedOut = () => {
    forgetDrafts()
    client.expect(undefined)
    go('', true)
    setStage({ name: 'out' })
  }
  // The change is stored already. Without an answer, other screens show the old names until the page is reloaded.
  const renew = () =>
    client.call('GET /admin/session', {}).then(
      (session) => setStage({ name: 'in', session }),
      () => {},
    )
  const { session } = stage
  const isEnded = stage.name === 'ended'
  // Another administrator begins anew.
  return (
    <SignedInProvider key={session.administrator.id} value={{ client, session, renew }}>
      <div hidden={isEnded}>
        <ToastProvider>
          <ShownOnceProvider>
            <Shell onSignedOut={onSignedOut} onLanguage={onLanguage} />
          </ShownOnceProvider>
        </ToastProvider>
      </div>
      {isEnded ? <SignInAgain client={client} onSignedIn={signedIn} onLanguage={onLanguage} /> : null}
    </SignedInProvider>
  )
}
