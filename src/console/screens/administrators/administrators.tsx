import { useState } from 'preact/hooks'

import type { Administrator, Invitation } from '../../../admin-contract/administrators.ts'
import { isolated } from '../../../ground/printable.ts'
import { mail, person, plus } from '../../../ui/icons.ts'
import { Icon } from '../../../ui/icon.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { type Column, DataList } from '../../parts/data-list.tsx'
import { Page } from '../../parts/page.tsx'
import { Empty, WhenLoaded } from '../../parts/states.tsx'
import { Time, useClockTime } from '../../parts/time.tsx'
import { useToast } from '../../parts/toast.tsx'
import { administratorPlace, inviteAdministrator } from '../../session/places.ts'
import { Link } from '../../session/router.tsx'
import { useSignedIn } from '../../session/session.tsx'
import { useLoad } from '../../hooks/use-load.ts'
import { useWords } from '../../words/speech.tsx'
import { useDomainNames } from '../../parts/domain-names.ts'
import { PersonName } from '../../parts/person-name.tsx'

/** Everyone with access to the console, and who is invited. */
export function AdministratorsScreen() {
  const words = useWords()
  const { client, session } = useSignedIn()
  const loaded = useLoad('administrators', async () => {
    const [administrators, invitations] = await Promise.all([
      client.call('GET /admin/administrators', {}),
      client.call('GET /admin/invitations', {}),
    ])
    return { administrators, invitations }
  })
  const isOwner = session.administrator.role === 'owner'
  const invite = (
    <Link to={inviteAdministrator} class="button filled with-icon">
      <Icon path={plus} />
      {words.invite}
    </Link>
  )
  return (
    <Page title={words.administrators} actions={isOwner ? invite : null}>
      <WhenLoaded loaded={loaded}>
        {({ administrators, invitations }) => (
          <>
            {invitations.length > 0 ? <Invitations {...{ invitations, isOwner }} onChange={loaded.reload} /> : null}
            <Administrators administrators={administrators.filter(({ revokedAt }) => revokedAt === null)} />
            <Revoked administrators={administrators.filter(({ revokedAt }) => revokedAt !== null)} />
          </>
        )}
      </WhenLoaded>
    </Page>
  )
}

interface AdministratorsProps {
  readonly administrators: readonly Administrator[]
}

function Administrators({ administrators }: AdministratorsProps) {
  const words = useWords()
  const { session } = useSignedIn()
  const namesOf = useDomainNames()
  if (administrators.length === 0) return <Empty icon={person}>{words.administratorsEmpty}</Empty>
  const columns: readonly Column<Administrator>[] = [
    { title: words.name, cell: (row) => <PersonName {...row} isOwn={row.id === session.administrator.id} /> },
    { title: words.role, cell: ({ role }) => words.roles[role] },
    { title: words.domains, isLong: true, cell: ({ domains }) => <bdi>{namesOf(domains)}</bdi> },
    { title: words.lastSeen, cell: ({ lastSeenAt }) => (lastSeenAt === null ? words.never : <Time at={lastSeenAt} />) },
  ]
  return (
    <DataList
      label={words.administrators}
      rows={administrators}
      columns={columns}
      keyOf={({ id }) => id}
      linkOf={({ id }) => administratorPlace(id)}
    />
  )
}

function Revoked({ administrators }: AdministratorsProps) {
  const words = useWords()
  if (administrators.length === 0) return null
  const columns: readonly Column<Administrator>[] = [
    { title: words.name, cell: (row) => <PersonName {...row} /> },
    { title: words.role, cell: ({ role }) => words.roles[role] },
    { title: words.accessEnded, cell: ({ revokedAt }) => <Time at={revokedAt ?? 0} /> },
  ]
  return (
    <details class="more">
      <summary>{words.revokedOnes(administrators.length)}</summary>
      <DataList
        label={words.revokedOnes(administrators.length)}
        rows={administrators}
        columns={columns}
        keyOf={({ id }) => id}
      />
    </details>
  )
}

interface InvitationsProps {
  readonly invitations: readonly Invitation[]
  readonly isOwner: boolean
  readonly onChange: () => Promise<void>
}

function Invitations({ invitations, isOwner, onChange }: InvitationsProps) {
  const words = useWords()
  const { client } = useSignedIn()
  const say = useToast()
  const timeOf = useClockTime()
  const [invitationToDelete, setAsked] = useState<Invitation>()

  async function withdraw({ id, name }: Invitation) {
    await client.call('DELETE /admin/invitations/:invitationId', { params: { invitationId: id } })
    say(words.withdrawn(isolated(name)))
    await onChange()
  }
  return (
    <section class="card">
      <h2>{words.openInvitations}</h2>
      <ul class="list">
        {invitations.map((invitation) => (
          <li key={invitation.id} class="row">
            <Icon path={mail} />
            <div class="row-text">
              <PersonName {...invitation} />
              <small>
                {words.roles[invitation.role]} · {words.validUntil(timeOf(invitation.expiresAt))}
              </small>
            </div>
            {isOwner ? (
              <button
                type="button"
                class="outlined"
                aria-label={words.withdrawOf(isolated(invitation.name))}
                onClick={() => setAsked(invitation)}
              >
                {words.withdraw}
              </button>
            ) : null}
          </li>
        ))}
      </ul>
      {invitationToDelete ? (
        <Confirm
          title={words.withdrawTitle(isolated(invitationToDelete.name))}
          action={words.withdraw}
          onConfirm={() => withdraw(invitationToDelete)}
          onClose={() => setAsked(undefined)}
        >
          <p>{words.withdrawSentence}</p>
        </Confirm>
      ) : null}
    </section>
  )
}
