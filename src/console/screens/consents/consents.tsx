import { inbox } from '../../../ui/icons.ts'
import { Page } from '../../parts/page.tsx'
import { Empty, WhenLoaded } from '../../parts/states.tsx'
import { personPlace } from '../../session/places.ts'
import { Link } from '../../session/router.tsx'
import { useSignedIn } from '../../session/session.tsx'
import { useLoad } from '../../hooks/use-load.ts'
import { useRepeated } from '../../hooks/use-repeated.ts'
import { useWords } from '../../words/speech.tsx'
import { ConsentCard } from './consent-card.tsx'

/** How often new requests are looked for, milliseconds. */
const interval = 10_000

/** The requests of administrators for each other's consent. */
export function ConsentsScreen() {
  const words = useWords()
  const { client } = useSignedIn()
  const consents = useLoad('consents', (unattended) => client.call('GET /admin/consents', {}, { unattended }))
  useRepeated(true, interval, () => consents.reload(true))
  return (
    <Page title={words.consents} sentence={words.consentsSentence}>
      <WhenLoaded loaded={consents}>
        {(list) =>
          list.length === 0 ? (
            <Empty icon={inbox}>
              <p>{words.noConsents}</p>
            </Empty>
          ) : (
            <ul class="list consents">
              {list.map((consent) => (
                <li key={consent.id}>
                  <ConsentCard consent={consent} reload={consents.reload} />
                  <Link to={personPlace(consent.person.id)} class="link">
                    {words.openPerson}
                  </Link>
                </li>
              ))}
            </ul>
          )
        }
      </WhenLoaded>
    </Page>
  )
}
