import './no-eval.ts'

import { render } from 'preact'

import { systemClock } from '../clock.ts'
import { createDevice } from '../device/device.ts'
import { serviceUrl } from '../device/service-url.ts'
import { createAccountsStore } from './accounts-store.ts'
import { takeCode } from './activation-link.ts'
import { App, type AppProps } from './app.tsx'
import { CannotRunScreen, findObstacle } from './screens/cannot-run.tsx'

function start(root: Element): void {
  const obstacle = findObstacle()
  root.replaceChildren()
  if (obstacle) return render(<CannotRunScreen obstacle={obstacle} />, root)

  const parts: Omit<AppProps, 'code'> = {
    device: createDevice(),
    store: createAccountsStore(),
    clock: systemClock,
    serviceUrl: serviceUrl(new URL('..', location.href)),
  }
  const show = () => render(<App {...parts} code={takeCode()} />, root)
  // A second link opened while the page is: the browser then only changes the fragment.
  addEventListener('hashchange', show)
  show()
  keepFilesForOffline()
}

function keepFilesForOffline(): void {
  // Without it the page works all the same, but needs a connection to open.
  void navigator.serviceWorker?.register('./sw.js', { updateViaCache: 'none' }).catch(() => undefined)
}

const root = document.querySelector('#app')
if (root) start(root)
