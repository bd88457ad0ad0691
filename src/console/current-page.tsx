import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'

import { lazyScreen } from '../ui/lazy-screen.tsx'
import { Loading } from './parts/states.tsx'
import { importTokens, inviteAdministrator, jobsPlace } from './session/places.ts'
import { useRouter } from './session/router.tsx'
import type { AccountScreenProps } from './screens/account.tsx'
import { CannotLoad } from './parts/cannot-load.tsx'
import { PeopleScreen } from './screens/people.tsx'
import { PersonScreen } from './screens/person/person.tsx'
import { UnknownScreen } from './parts/unknown.tsx'
import { isWithin, sectionsFor, startFor } from './session/sections.ts'
import { useSignedIn } from './session/session.tsx'

export type CurrentPageProps = AccountScreenProps

const lazy = <P extends object>(load: () => Promise<ComponentType<P>>) =>
  lazyScreen(load, { loading: Loading, failed: CannotLoad })

const AccountScreen = lazy(async () => (await import('./screens/account.tsx')).AccountScreen)
const AdministratorScreen = lazy(
  async () => (await import('./screens/administrators/administrator.tsx')).AdministratorScreen,
)
const AdministratorsScreen = lazy(
  async () => (await import('./screens/administrators/administrators.tsx')).AdministratorsScreen,
)
const ConsentsScreen = lazy(async () => (await import('./screens/consents/consents.tsx')).ConsentsScreen)
const AppsScreen = lazy(async () => (await import('./screens/apps/apps.tsx')).AppsScreen)
const AuditScreen = lazy(async () => (await import('./screens/audit/audit.tsx')).AuditScreen)
const DomainScreen = lazy(async () => (await import('./screens/apps/domain.tsx')).DomainScreen)
const ImportScreen = lazy(async () => (await import('./screens/stock/import.tsx')).ImportScreen)
const InviteScreen = lazy(async () => (await import('./screens/administrators/invite.tsx')).InviteScreen)
const JobScreen = lazy(async () => (await import('./screens/bulk/job.tsx')).JobScreen)
const JobsScreen = lazy(async () => (await import('./screens/bulk/jobs.tsx')).JobsScreen)
const OpenIdScreens = lazy(async () => (await import('./screens/openid/openid.tsx')).OpenIdScreens)
const OverviewScreen = lazy(async () => (await import('./screens/overview/overview.tsx')).OverviewScreen)
const StockScreen = lazy(async () => (await import('./screens/stock/stock.tsx')).StockScreen)

/** The screen of the address. */
export function CurrentPage(props: CurrentPageProps) {
  const { place, go } = useRouter()
  const { role } = useSignedIn().session.administrator
  const { path } = place
  const isStart = path === '' || path === 'invitation'

  useEffect(() => {
    if (isStart) go(startFor(role), true)
  }, [isStart])

  if (isStart) return null
  if (path === 'account') return <AccountScreen key={path} {...props} />
  if (!sectionsFor(role).some((section) => isWithin(section, path))) return <UnknownScreen key={path} />
  if (path === 'overview') return <OverviewScreen key={path} />
  if (path === 'people') return <PeopleScreen key={path} />
  if (path === jobsPlace) return <JobsScreen key={path} />
  if (path === 'consents') return <ConsentsScreen key={path} />
  if (path === 'stock') return <StockScreen key={path} />
  if (path === 'apps') return <AppsScreen key={path} />
  // One part of the console: a secret that was made on one of its places is shown on another.
  if (path.startsWith('openid')) return <OpenIdScreens key="openid" />
  if (path === 'audit') return <AuditScreen key={path} />
  if (path === 'administrators') return <AdministratorsScreen key={path} />
  if (path === inviteAdministrator && role === 'owner') return <InviteScreen key={path} />
  if (path === importTokens && (role === 'owner' || role === 'admin')) return <ImportScreen key={path} />
  const id = place.query.get('id')
  if (path === 'administrator' && id !== null) return <AdministratorScreen key={id} id={id} />
  if (path === 'job' && id !== null) return <JobScreen key={id} id={id} />
  if (path === 'domain' && id !== null) return <DomainScreen key={id} id={id} />
  if (path === 'person' && id !== null) return <PersonScreen key={id} id={id} />
  return <UnknownScreen key={path} />
}
