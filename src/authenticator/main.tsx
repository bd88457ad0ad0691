import './no-eval.ts'

import { render } from 'preact'

import { systemClock } from '../clock.ts'
import { createDevice } from '../device/device.ts'
import { serviceUrl } from '../device/service-url.ts'
import { createAccountsStore } from './accounts-store.ts'
import { coverWhenLeft } from './cover.ts'
import { takeLink } from './link.ts'
import { keepFilesForOffline, takeNewVersion } from './offline-files.ts'
import { Root, type RootProps } from './root.tsx'
import { findObstacle } from './screens/cannot-run.tsx'

async function start(root: Element): Promise<void> {
  const { href } = location
  // Before anything else: a code in the address bar is read over a shoulder, and kept in the history.
  let link = takeLink()
  if (await takeNewVersion(href)) return
  const parts: Omit<RootProps, 'link'> = {
    obstacle: findObstacle(),
    createDevice,
    createStore: createAccountsStore,
    clock: systemClock,
    serviceUrl: serviceUrl(new URL('..', location.href)),
  }
  const show = () => render(<Root {...parts} link={link} />, root)
  root.replaceChildren()
  // A second link opened while the page is: the browser then only changes the fragment.
  addEventListener('hashchange', () => {
    if (location.hash === '') return
    link = takeLink()
    show()
  })
  show()
  coverWhenLeft()
  keepFilesForOffline()
}

const root = document.querySelector('#app')
if (root) void start(root)
