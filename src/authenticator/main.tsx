import './no-eval.ts'

import { render } from 'preact'

import { systemClock } from '../ground/clock.ts'
import { createDevice } from '../device/device.ts'
import { serviceUrl } from '../contract/activation-link.ts'
import { createAccountsStore } from './accounts/accounts-store.ts'
import { coverInBackground } from './cover.ts'
import { takeLink } from './accounts/link.ts'
import { registerServiceWorker, activateNewVersion } from './service-worker.ts'
import { Root, type RootProps } from './root.tsx'
import { findObstacle } from './screens/cannot-run.tsx'

async function start(root: Element): Promise<void> {
  const { href } = location
  // Before anything else: a code in the address bar can be seen by others, and stays in the history.
  let link = takeLink()
  if (await activateNewVersion(href)) return
  const parts: Omit<RootProps, 'link'> = {
    obstacle: findObstacle(),
    createDevice,
    createStore: createAccountsStore,
    clock: systemClock,
    serviceUrl: serviceUrl(new URL('..', location.href)),
  }
  const show = () => render(<Root {...parts} link={link} />, root)
  // When another link is opened while the page is open, the browser only changes the fragment.
  addEventListener('hashchange', () => {
    if (location.hash === '') return
    link = takeLink()
    show()
  })
  show()
  coverInBackground()
  registerServiceWorker()
}

const root = document.querySelector('#app')
if (root) void start(root)
