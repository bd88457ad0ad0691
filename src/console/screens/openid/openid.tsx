import { queryShapes } from '../../../admin-contract/query-shapes.ts'
import type { FunctionComponent } from 'preact'

import type { LanguageTag } from '../../../contract/languages.ts'
import { lazyScreen } from '../../../ui/lazy-screen.tsx'
import { useShownOnce } from '../../parts/shown-once.tsx'
import { Loading } from '../../parts/states.tsx'
import { readValue } from '../../session/read-value.ts'
import { useRouter } from '../../session/router.tsx'
import { useSignedIn } from '../../session/session.tsx'
import { useSpeech } from '../../words/speech.tsx'
import { CannotLoad } from '../../parts/cannot-load.tsx'
import { UnknownScreen } from '../../parts/unknown.tsx'
import { AddClientScreen } from './add-client.tsx'
import { ClientScreen } from './client.tsx'
import { ClientsScreen } from './clients.tsx'
import { type ShownSecret, SecretDialog } from './secret-dialog.tsx'
import { loadTexts } from './texts/load.ts'
import { OpenIdWords, useOpenIdWords } from './words.ts'

/** Clients and signing keys of the OpenID provider, once their texts are loaded. */
export function OpenIdScreens() {
  const { language } = useSpeech()
  const Screens = placesIn(language.code)
  return <Screens key={language.code} />
}

const known = new Map<LanguageTag, FunctionComponent>()

function placesIn(tag: LanguageTag): FunctionComponent {
  const before = known.get(tag)
  if (before) return before
  const load = async () => {
    const words = await loadTexts[tag]()
    return () => (
      <OpenIdWords value={words}>
        <Places />
      </OpenIdWords>
    )
  }
  const screen = lazyScreen(load, { loading: Loading, failed: CannotLoad })
  known.set(tag, screen)
  return screen
}

function Places() {
  const { place } = useRouter()
  const showOnce = useShownOnce()
  const words = useOpenIdWords()

  function showSecret(secret: ShownSecret) {
    showOnce((close) => (
      <OpenIdWords value={words}>
        <SecretDialog {...secret} onClose={close} />
      </OpenIdWords>
    ))
  }
  return <Place onSecret={showSecret} key={`${place.path} ${place.query.get('id')} ${place.query.get('kind')}`} />
}

interface PlaceProps {
  readonly onSecret: (secret: ShownSecret) => void
}

function Place({ onSecret }: PlaceProps) {
  const { place } = useRouter()
  const { role } = useSignedIn().session.administrator
  const { path, query } = place
  const [id, domain] = [query.get('id'), query.get('domain')]
  if (path === 'openid') return <ClientsScreen domain={readValue(query, 'domain', queryShapes.id)} />
  if (path === 'openid-client' && id !== null && domain !== null)
    return <ClientScreen id={id} domainId={domain} onSecret={onSecret} />
  if (path === 'openid-add' && (role === 'owner' || role === 'admin'))
    return <AddClientScreen kind={query.get('kind') ?? undefined} onSecret={onSecret} />
  return <UnknownScreen />
}
