import { useEffect, useState } from 'preact/hooks'

import type { Consent } from '../../../admin-contract/consents.ts'
import type { Person } from '../../../admin-contract/people.ts'
import { isolated, printable } from '../../../ground/printable.ts'
import { lazyScreen } from '../../../ui/lazy-screen.tsx'
import { ActionDialog, type AskedConsent } from './action-dialog.tsx'
import { CodeDialog } from './code-dialog.tsx'
import { Page } from '../../parts/page.tsx'
import { useShownOnce } from '../../parts/shown-once.tsx'
import { WhenLoaded } from '../../parts/states.tsx'
import { useDayTime } from '../../parts/time.tsx'
import { useToast } from '../../parts/toast.tsx'
import { type PersonQuestion, personPlace } from '../../session/places.ts'
import { useRouter } from '../../session/router.tsx'
import { useSignedIn } from '../../session/session.tsx'
import { useLoad } from '../../hooks/use-load.ts'
import { useRepeated } from '../../hooks/use-repeated.ts'
import { useWords } from '../../words/speech.tsx'
import { consentedAction } from './consented-action.ts'
import { actionsOn } from './person-action.ts'
import { nothingEntered, type PersonAction, type ShownCode } from './action.ts'
import { ConsentCard } from '../consents/consent-card.tsx'
import { PersonBadges } from '../../parts/person-badges.tsx'
import { PersonParts } from './person-parts.tsx'

/** How often the decision of another administrator is looked for, milliseconds. */
const consentInterval = 5_000

/** Loaded with the generator of QR codes, which few pages need. */
const LinkDialog = lazyScreen(async () => (await import('./link-dialog.tsx')).LinkDialog)

/** One person: what signs it in, what locks it out, and what can be done. */
export function PersonScreen({ id }: { readonly id: string }) {
  const words = useWords()
  const { client, session } = useSignedIn()
  const say = useToast()
  const showOnce = useShownOnce()
  const dayTime = useDayTime()
  const params = { userId: id }
  const person = useLoad(id, () => client.call('GET /admin/people/:userId', { params }))
  const consents = useLoad(`consents ${id}`, async (unattended) =>
    (await client.call('GET /admin/consents', {}, { unattended })).filter(
      (each) => each.person.id === id && isOpen(each),
    ),
  )
  const [openAction, setAsked] = useState<PersonAction>()
  useRepeated((consents.value?.length ?? 0) > 0, consentInterval, () => consents.reload(true))

  /** The dialog names what the action removes: of what the person has now, not of what the page has shown for a while. */
  function open(action: PersonAction) {
    setAsked(action)
    if (action.removes) void reload()
  }
  async function done(action: PersonAction, newCode: ShownCode | undefined) {
    say(action.done)
    if (newCode) showCode(newCode)
    await Promise.all([person.reload(), consents.reload()])
  }
  /** Also where the administrator has gone back meanwhile: nobody would ever read the code otherwise. */
  function showCode(code: ShownCode) {
    const { link } = code
    showOnce((close) =>
      link ? <LinkDialog {...code} link={link} onClose={close} /> : <CodeDialog shownCode={code} onClose={close} />,
    )
  }
  async function ask(consent: AskedConsent) {
    await client.call('POST /admin/people/:userId/consents', { params, body: consent })
    say(words.asked)
    await consents.reload()
  }
  const { value } = person
  // All at once: requests that came later would push down what the administrator is about to press.
  const isReady = consents.value !== undefined || consents.problem !== undefined
  const loadedPerson = isReady ? person : { ...person, value: undefined }
  const { reload } = person
  const actions = value && actionsOn({ client, words, person: value, dayTime, reload })
  /** Repeats the values that the colleague has seen; only what is secret is entered now. */
  async function carryOut(consent: Consent) {
    const action = actions && consentedAction(actions, consent)
    if (!action) return
    if (action.asks === 'twoCodes') setAsked({ ...action, because: consent.because })
    else await done(action, await action.run(consent.because, { ...nothingEntered, ...action.values }))
  }
  const isChangeable = session.administrator.role !== 'auditor'
  useAsked(value, ({ ask: linkedAction, serial }) => {
    if (!actions || !value || !isChangeable || value.elsewhere) return
    if (linkedAction === 'assign' && !value.hardware) open(actions.assignHardware(serial))
    else if (linkedAction === 'assign') say(words.stock.hasToken(isolated(value.name)))
    else if (value.hardware && !value.hardware.selfEnrolled) setAsked(actions.resynchronizeHardware())
  })
  return (
    <Page
      title={value ? printable(value.name) : words.people}
      sentence={value ? aboutOf(value) : ''}
      above={{ to: 'people', title: words.people }}
      actions={value && <PersonBadges person={value} />}
    >
      {loadedPerson.value && consents.value && consents.value.length > 0 ? (
        <ul class="list consents">
          {consents.value.map((consent) => (
            <li key={consent.id}>
              <ConsentCard consent={consent} reload={consents.reload} onCarryOut={() => carryOut(consent)} />
            </li>
          ))}
        </ul>
      ) : null}
      <WhenLoaded loaded={loadedPerson}>
        {(loaded) =>
          actions ? (
            <PersonParts
              person={loaded}
              actions={actions}
              changeable={isChangeable}
              onAsk={open}
              reload={person.reload}
            />
          ) : null
        }
      </WhenLoaded>
      {openAction ? (
        <ActionDialog
          key={openAction.operation}
          action={openAction}
          losses={value && openAction.removes?.(value)}
          reading={person.loading}
          verifiable={value?.tokens.some(({ device }) => device) ?? false}
          verified={value?.caller?.state === 'confirmed'}
          onAsk={ask}
          onDone={(newCode) => void done(openAction, newCode)}
          onClose={() => setAsked(undefined)}
        />
      ) : null}
    </Page>
  )
}

/** Asks once what the address wants, such as to assign a token that was found in the stock. A reload does not ask again. */
function useAsked(person: Person | undefined, onAsked: (question: PersonQuestion) => void): void {
  const { place, go } = useRouter()
  const ask = place.query.get('ask')

  useEffect(() => {
    if (!person || (ask !== 'assign' && ask !== 'resynchronize')) return
    onAsked({ ask, serial: place.query.get('serial') ?? '' })
    go(personPlace(person.id), true)
  }, [person?.id, ask])
}

const isOpen = ({ state }: Consent): boolean => state === 'pending' || state === 'given' || state === 'void'

const aboutOf = ({ username, email }: Person): string =>
  [username, email]
    .filter((each) => each !== '')
    .map(isolated)
    .join(' · ')
