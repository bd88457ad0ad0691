import { useState } from 'preact/hooks'

import { usesSecret } from '../../../admin-contract/oidc-client-rules.ts'
import type { OidcClient } from '../../../admin-contract/oidc-clients.ts'
import { isolated, printable } from '../../../ground/printable.ts'
import { Button } from '../../../ui/button.tsx'
import { Problem } from '../../../ui/messages.tsx'
import { hasCode } from '../../client/errors.ts'
import { useAttempt } from '../../hooks/use-attempt.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { useToast } from '../../parts/toast.tsx'
import { useSignedIn } from '../../session/session.tsx'
import { useWords } from '../../words/speech.tsx'
import { ClientFields } from './client-fields.tsx'
import { changesOf, differing, draftOfClient, type Problems, problemsOf } from './draft.ts'
import type { Draft } from './fields.ts'
import { useRefusal } from './refusal.ts'
import { useValueText } from './value-text.ts'
import { useOpenIdWords } from './words.ts'

interface ClientFormProps {
  readonly client: OidcClient
  readonly onSaved: (client: OidcClient) => void
}

/** The settings of a client. What was typed stays when another administrator was faster. */
export function ClientForm({ client: stored, onSaved }: ClientFormProps) {
  const { apps } = useWords()
  const texts = useOpenIdWords()
  const { client } = useSignedIn()
  const say = useToast()
  const refusalOf = useRefusal(stored.kind)
  const meanwhile = useMeanwhile()
  const { busy, problem, showProblem, run } = useAttempt()
  const [problems, setProblems] = useState<Problems>({})
  const [before, setBefore] = useState(stored)
  const [draft, setDraft] = useState<Draft>(() => draftOfClient(stored))
  const [isAsking, setAsking] = useState(false)
  const params = { domainId: stored.domain, oidcClientId: stored.id }
  const changes = changesOf(before, draft)
  // A new secret counts as a change of the client, and says nothing about the settings.
  const isSame = differing(stored.kind, draftOfClient(before), draftOfClient(stored)).length === 0
  const version = isSame ? Math.max(before.version, stored.version) : before.version

  /** @param expected The version that was read. */
  async function save(expected = version): Promise<void> {
    let saved: OidcClient
    try {
      saved = await client.call(
        'PUT /admin/domains/:domainId/oidc-clients/:oidcClientId',
        { params, body: changes },
        { version: expected },
      )
    } catch (error) {
      if (hasCode(error, 'api.error.precondition')) return showChanged()
      throw refusalOf(error, draft, setProblems)
    }
    say(apps.saved(isolated(saved.name)))
    setBefore(saved)
    // Something may have been typed while it was saved.
    setDraft((current) => withTyped(saved, draft, current))
    onSaved(saved)
  }

  /** The values that another administrator has saved are the new beginning; only the values typed here differ. */
  async function showChanged(): Promise<void> {
    const list = await client.call('GET /admin/domains/:domainId/oidc-clients', { params })
    const now = list.find(({ id }) => id === stored.id)
    // It was removed: the next attempt says so.
    if (!now) return showProblem(apps.unchanged)
    // Only its secret was replaced, which says nothing about the settings.
    if (differing(stored.kind, draftOfClient(before), draftOfClient(now)).length === 0) return save(now.version)
    showProblem(await meanwhile(before, now))
    setBefore(now)
    setDraft(withTyped(now, draftOfClient(before), draft))
  }
  function submit() {
    if (busy) return
    const wrong = problemsOf(stored.kind, draft, texts.problems)
    const names = Object.keys(changes)
    setProblems(wrong)
    if (Object.keys(wrong).length > 0) return showProblem(texts.problems.form)
    if (names.length === 0) return showProblem(apps.unchanged)
    if (names.some((name) => name !== 'name')) return setAsking(true)
    void run(() => save())
  }
  const losesSecret = before.secret && changes.authentication !== undefined && !usesSecret(changes.authentication)
  return (
    <>
      <form
        class="card form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <ClientFields
          kind={stored.kind}
          draft={draft}
          problems={problems}
          onChange={(typed) => setDraft((current) => ({ ...current, ...typed }))}
        />
        <Problem text={problem} />
        <div class="buttons">
          <Button type="submit" class="filled" aria-disabled={busy} label={apps.save} />
        </div>
      </form>
      {isAsking ? (
        <Confirm
          title={texts.change.title(isolated(before.name))}
          action={apps.save}
          onConfirm={() => run(() => save())}
          onClose={() => {
            setAsking(false)
            // Nothing behind the dialog could have the focus.
            setProblems((found) => ({ ...found }))
          }}
        >
          <p>{texts.change.sentence}</p>
          {losesSecret ? <p>{texts.change.secretEnds}</p> : null}
        </Confirm>
      ) : null}
    </>
  )
}

/** The form of a client with what was typed since. */
const withTyped = (client: OidcClient, before: Draft, typed: Draft): Draft => ({
  ...draftOfClient(client),
  ...Object.fromEntries(differing(client.kind, before, typed).map(({ name }) => [name, typed[name]])),
})

/** Says who has changed a client meanwhile, and to what. */
function useMeanwhile(): (before: OidcClient, now: OidcClient) => Promise<string> {
  const { apps, audit } = useWords()
  const { fields } = useOpenIdWords()
  const { client } = useSignedIn()
  const textOf = useValueText()

  /** As far as the trail shows it yet. */
  async function changer({ id, domain }: OidcClient): Promise<string> {
    const page = await client
      .call('GET /admin/audit', { query: { event: 'oidc.client_changed', domain } })
      .catch(() => undefined)
    const actor = page?.entries.find(({ facts }) => facts['client'] === id)?.actor
    const name = actor && page.names[actor.id]
    return name === undefined ? audit.actors[actor?.kind ?? 'administrator'] : isolated(printable(name))
  }
  return async (before, now) => {
    const [draftBefore, draftNow] = [draftOfClient(before), draftOfClient(now)]
    const moved = differing(now.kind, draftBefore, draftNow).map((field) =>
      apps.valueNow(fields[field.name].label, isolated(textOf(field, draftNow[field.name]))),
    )
    return apps.meanwhile(await changer(now), moved.join(' · '))
  }
}
