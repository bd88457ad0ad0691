import { useState } from 'preact/hooks'

import type { Administrator } from '../../../admin-contract/administrators.ts'
import { isolated, printable } from '../../../ground/printable.ts'
import { Button } from '../../../ui/button.tsx'
import { Problem } from '../../../ui/messages.tsx'
import type { RouteOutput } from '../../client/routes.ts'
import { WhenLoaded } from '../../parts/states.tsx'
import { useToast } from '../../parts/toast.tsx'
import { personPlace } from '../../session/places.ts'
import { Link } from '../../session/router.tsx'
import { useSignedIn } from '../../session/session.tsx'
import { useAttempt } from '../../hooks/use-attempt.ts'
import { useLoad } from '../../hooks/use-load.ts'
import { useWords } from '../../words/speech.tsx'

interface OwnRecordProps {
  readonly administrator: Administrator
  readonly reload: () => Promise<void>
}

interface FoundPerson {
  readonly id: string
  readonly username: string
  readonly name: string
  readonly email: string
}

/** Which people the administrator is: those with the same e-mail address, and the one whom an owner has linked. */
export function OwnRecord({ administrator, reload }: OwnRecordProps) {
  const words = useWords()
  const { client } = useSignedIn()
  const say = useToast()
  const { busy, problem, showProblem, run } = useAttempt()
  const [username, setUsername] = useState('')
  const { id, email, user, namesakes } = administrator

  /** Searches find parts, a page at a time: a person with exactly this name or address may be on a later one. */
  async function* search(q: string): AsyncGenerator<FoundPerson, void> {
    for (let from: number | undefined = 1; from !== undefined;) {
      const page: RouteOutput<'GET /admin/people'> = await client.call('GET /admin/people', {
        query: { q, from: String(from) },
      })
      yield* page.people
      from = page.next
    }
  }
  const people = useLoad(`records ${id} ${user ?? ''}`, async () => {
    const linked = user === null ? [] : [await client.call('GET /admin/people/:userId', { params: { userId: user } })]
    const peopleWithAddress: FoundPerson[] = []
    for await (const each of search(email)) {
      if (each.id !== user && isSame(each.email, email)) peopleWithAddress.push(each)
    }
    return [...linked, ...peopleWithAddress]
  })

  async function decide({ id: userId, name }: FoundPerson, isOwn: boolean) {
    const params = { administratorId: id }
    await client.call('PUT /admin/administrators/:administratorId/record', {
      params,
      body: { user: userId, own: isOwn },
    })
    say(words.record.saved(isolated(name)))
    setUsername('')
    await reload()
  }
  async function link() {
    for await (const each of search(username)) if (each.username === username) return decide(each, true)
    showProblem(words.record.unknown)
  }
  const stateOf = (person: FoundPerson): 'own' | 'undecided' | 'other' =>
    person.id === user ? 'own' : namesakes.includes(person.id) ? 'other' : 'undecided'
  return (
    <section class="card form" aria-labelledby="record">
      <h2 id="record">{words.record.title}</h2>
      <p class="sentence">{words.record.sentence}</p>
      <WhenLoaded loaded={people}>
        {(list) =>
          list.length === 0 ? (
            <p class="sentence">{words.record.none}</p>
          ) : (
            <ul class="list">
              {list.map((person) => (
                <li key={person.id} class="row">
                  <div class="row-text">
                    <Link to={personPlace(person.id)} class="link">
                      {printable(person.name || person.username)}
                    </Link>
                    <small>
                      <bdi>{printable(person.username)}</bdi> · {words.record.states[stateOf(person)]}
                    </small>
                  </div>
                  {stateOf(person) === 'own' ? null : (
                    <Button
                      class="outlined"
                      aria-disabled={busy}
                      onClick={() => busy || void run(() => decide(person, true))}
                      label={words.record.isOwn}
                    />
                  )}
                  {stateOf(person) === 'other' ? null : (
                    <Button
                      class="outlined"
                      aria-disabled={busy}
                      onClick={() => busy || void run(() => decide(person, false))}
                      label={words.record.isOther}
                    />
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </WhenLoaded>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          if (!busy) void run(link)
        }}
      >
        <label class="field">
          <span>{words.record.username}</span>
          <input
            value={username}
            required
            maxLength={128}
            autocomplete="off"
            spellcheck={false}
            onInput={({ currentTarget }) => setUsername(currentTarget.value)}
          />
        </label>
        <Problem text={problem} />
        <div class="buttons">
          <Button type="submit" class="outlined" aria-disabled={busy} label={words.record.isOwn} />
        </div>
      </form>
    </section>
  )
}

const isSame = (first: string, second: string): boolean => first.toLowerCase() === second.toLowerCase()
