import { useEffect } from 'preact/hooks'

import { inviteAdministrator } from './places.ts'
import { useRouter } from './router.tsx'
import { AccountScreen, type AccountScreenProps } from './screens/account.tsx'
import { AdministratorScreen } from './screens/administrator.tsx'
import { AdministratorsScreen } from './screens/administrators.tsx'
import { InviteScreen } from './screens/invite.tsx'
import { UnknownScreen } from './screens/unknown.tsx'
import { isWithin, sectionsFor, startFor } from './sections.ts'
import { useSignedIn } from './session.tsx'

export type CurrentPageProps = AccountScreenProps

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
  if (path === 'administrators') return <AdministratorsScreen key={path} />
  if (path === inviteAdministrator && role === 'owner') return <InviteScreen key={path} />
  const id = place.query.get('id')
  return path === 'administrator' && id !== null ? (
    <AdministratorScreen key={id} id={id} />
  ) : (
    <UnknownScreen key={path} />
  )
}
