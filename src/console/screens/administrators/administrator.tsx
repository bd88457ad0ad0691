import { useState } from 'preact/hooks'

import type { Administrator, AdministratorSession } from '../../../admin-contract/administrators.ts'
import { isolated, printable } from '../../../ground/printable.ts'
import { Button } from '../../../ui/button.tsx'
import { Problem } from '../../../ui/messages.tsx'
import { hasCode } from '../../client/errors.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Facts } from '../../parts/facts.tsx'
import { Page } from '../../parts/page.tsx'
import { WhenLoaded } from '../../parts/states.tsx'
import { Time, useDateTime } from '../../parts/time.tsx'
import { useToast } from '../../parts/toast.tsx'
import { useSignedIn } from '../../session/session.tsx'
import { useAttempt } from '../../hooks/use-attempt.ts'
import { useLoad } from '../../hooks/use-load.ts'
import { useWords } from '../../words/speech.tsx'
import { type Access, AccessFields, accessOf, isComplete } from './access-fields.tsx'
import { useDomainNames } from '../../parts/domain-names.ts'
import { OwnRecord } from './own-record.tsx'

/** One administrator: its access, and where it is signed in. */
export function AdministratorScreen({ id }: { readonly id: string }) {
  const words = useWords()
  const { client } = useSignedIn()
  const params = { administratorId: id }
  const loaded = useLoad(id, async () => {
    const [administrator, sessions] = await Promise.all([
      client.call('GET /admin/administrators/:administratorId', { params }),
      client.call('GET /admin/administrators/:administratorId/sessions', { params }),
    ])
    return { administrator, sessions }
  })
  const name = loaded.value ? printable(loaded.value.administrator.name) : words.administrators
  return (
    <Page title={name} above={{ to: 'administrators', title: words.administrators }}>
      <WhenLoaded loaded={loaded}>{(value) => <AdministratorParts {...value} reload={loaded.reload} />}</WhenLoaded>
    </Page>
  )
}

interface PartsProps {
  readonly administrator: Administrator
  readonly sessions: readonly AdministratorSession[]
  readonly reload: () => Promise<void>
}

function AdministratorParts({ administrator, sessions, reload }: PartsProps) {
  const words = useWords()
  const { session } = useSignedIn()
  const dateTime = useDateTime()
  const namesOf = useDomainNames()
  const { id, email, role, domains, createdAt, lastSeenAt, revokedAt } = administrator
  const isOwn = id === session.administrator.id
  const isOwner = session.administrator.role === 'owner'
  const changeable = isOwner && !isOwn && revokedAt === null
  return (
    <>
      <section class="card">
        {revokedAt === null ? null : <p class="problem still">{words.revokedSince(dateTime(revokedAt))}</p>}
        <Facts
          facts={[
            { label: words.email, value: <bdi>{printable(email)}</bdi> },
            { label: words.role, value: words.roles[role], note: words.roleSentences[role] },
            { label: words.domains, value: <bdi>{namesOf(domains)}</bdi> },
            { label: words.created, value: <Time at={createdAt} /> },
            { label: words.lastSeen, value: lastSeenAt === null ? words.never : <Time at={lastSeenAt} /> },
          ]}
        />
        {isOwn ? <p class="sentence">{words.ownAccess}</p> : null}
        {!isOwn && !isOwner ? <p class="sentence">{words.readOnlyAccess}</p> : null}
      </section>
      {changeable ? <AccessForm key={administrator.version} administrator={administrator} reload={reload} /> : null}
      {changeable ? <OwnRecord administrator={administrator} reload={reload} /> : null}
      {revokedAt === null ? <Sessions {...{ administrator, sessions, reload, changeable }} /> : null}
      {changeable ? <Revoke administrator={administrator} reload={reload} /> : null}
    </>
  )
}

type AccessFormProps = Pick<PartsProps, 'administrator' | 'reload'>

function AccessForm({ administrator, reload }: AccessFormProps) {
  const words = useWords()
  const { client } = useSignedIn()
  const say = useToast()
  const namesOf = useDomainNames()
  const { busy, problem, showProblem, run } = useAttempt()
  const { id, name } = administrator
  const [before, setBefore] = useState(administrator)
  const [access, setAccess] = useState<Access>(administrator)

  async function save() {
    const params = { administratorId: id }
    try {
      await client.call(
        'PUT /admin/administrators/:administratorId',
        { params, body: accessOf(access) },
        { version: before.version },
      )
    } catch (error) {
      if (!hasCode(error, 'api.error.precondition')) throw error
      const now = await client.call('GET /admin/administrators/:administratorId', { params })
      setBefore(now)
      setAccess(now)
      showProblem(words.accessNow(isolated(now.name), words.roles[now.role], namesOf(now.domains)))
      return
    }
    say(words.accessSaved(isolated(name)))
    await reload()
  }
  return (
    <form
      class="card form"
      aria-labelledby="access"
      onSubmit={(event) => {
        event.preventDefault()
        if (busy) return
        if (isComplete(access)) void run(save)
        else showProblem(words.chooseDomains)
      }}
    >
      <h2 id="access">{words.access}</h2>
      <AccessFields access={access} onChange={setAccess} />
      <Problem text={problem} />
      <div class="buttons">
        <Button type="submit" class="filled" aria-disabled={busy} label={words.saveAccess} />
      </div>
    </form>
  )
}

function Sessions({ administrator, sessions, reload, changeable }: PartsProps & { readonly changeable: boolean }) {
  const words = useWords()
  const { client } = useSignedIn()
  const say = useToast()
  const [isAsking, setAsking] = useState(false)
  const { id, name } = administrator

  async function end() {
    await client.call('DELETE /admin/administrators/:administratorId/sessions', { params: { administratorId: id } })
    say(words.sessionsEnded(isolated(name)))
    await reload()
  }
  return (
    <section class="card">
      <h2>{words.sessions}</h2>
      {sessions.length === 0 ? <p class="sentence">{words.sessionsNone}</p> : null}
      <ul class="list">
        {sessions.map((each) => (
          <li key={each.id} class="row">
            <div class="row-text">
              <span>
                {words.since} <Time at={each.createdAt} />
              </span>
              <small>
                {words.active} <Time at={each.usedAt} />
              </small>
            </div>
          </li>
        ))}
      </ul>
      {changeable && sessions.length > 0 ? (
        <div class="buttons">
          <Button class="outlined" onClick={() => setAsking(true)} label={words.endSessions} />
        </div>
      ) : null}
      {isAsking ? (
        <Confirm
          title={words.endSessionsTitle(isolated(name))}
          action={words.endSessions}
          onConfirm={end}
          onClose={() => setAsking(false)}
        >
          <p>{words.endSessionsSentence}</p>
        </Confirm>
      ) : null}
    </section>
  )
}

function Revoke({ administrator: { id, name }, reload }: AccessFormProps) {
  const words = useWords()
  const { client } = useSignedIn()
  const say = useToast()
  const [isAsking, setAsking] = useState(false)

  async function revoke() {
    await client.call('DELETE /admin/administrators/:administratorId', { params: { administratorId: id } })
    say(words.revoked(isolated(name)))
    await reload()
  }
  return (
    <section class="card">
      <h2>{words.revoke}</h2>
      <p class="sentence">{words.revokeSentence}</p>
      <div class="buttons">
        <Button class="outlined danger" onClick={() => setAsking(true)} label={words.revoke} />
      </div>
      {isAsking ? (
        <Confirm
          title={words.revokeTitle(isolated(name))}
          action={words.revoke}
          onConfirm={revoke}
          onClose={() => setAsking(false)}
        >
          <p>{words.revokeSentence}</p>
        </Confirm>
      ) : null}
    </section>
  )
}
