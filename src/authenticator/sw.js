// Keeps the app's own files, so that it opens without a connection and can say so; and tells of requests while it is
// closed. Never touches /device/: it knows no key and no account.
// The build puts the list of files, and a word that changes with them, in the place of the two names.
// oxlint-disable unicorn/require-post-message-target-origin -- windows of a worker are of its own origin
const shell = __SHELL__
const cachePrefix = `second-factor ${self.registration.scope} `
const cacheName = cachePrefix + __VERSION__
const noticeCache = `second-factor notice ${self.registration.scope}`

self.addEventListener('install', (event) => event.waitUntil(fill()))
self.addEventListener('activate', (event) => event.waitUntil(dropOldCaches()))
self.addEventListener('push', (event) => event.waitUntil(tell(event)))
self.addEventListener('notificationclick', (event) => event.waitUntil(open(event)))
self.addEventListener('pushsubscriptionchange', (event) => event.waitUntil(renew(event)))

// A new version waits until the app is opened the next time: what is open keeps its own files.
self.addEventListener('message', (event) => {
  if (event.data === 'take over') event.waitUntil(self.skipWaiting())
})

self.addEventListener('fetch', (event) => {
  const { request } = event
  if (request.method !== 'GET' || !request.url.startsWith(self.registration.scope)) return
  event.respondWith(isPage(request) ? keptPage(request) : keptFile(request))
})

async function fill() {
  const cache = await caches.open(cacheName)
  await cache.addAll(shell.map((path) => new Request(path, { cache: 'reload' })))
}

async function dropOldCaches() {
  // Caches are shared by the whole origin: only those of this very folder are ours to drop.
  const names = await caches.keys()
  const old = names.filter((name) => name.startsWith(cachePrefix) && name !== cacheName)
  await Promise.all(old.map((name) => caches.delete(name)))
  await self.clients.claim()
}

function isPage({ mode, url }) {
  const path = url.slice(self.registration.scope.length).replace(/[?#].*$/, '')
  return mode === 'navigate' && (path === '' || path === 'index.html')
}

/** Opens at once, also where the connection is bad; whether there is a new version is looked up meanwhile. */
async function keptPage(request) {
  return (await caches.match('./', { cacheName })) ?? fetch(request)
}

/** Names of assets change with their content; those not kept from the start are kept from their first use. */
async function keptFile(request) {
  const kept = await caches.match(request, { cacheName })
  if (kept) return kept
  const response = await fetch(request)
  if (response.ok && request.url.startsWith(`${self.registration.scope}assets/`)) {
    const cache = await caches.open(cacheName)
    await cache.put(request, response.clone())
  }
  return response
}

/** Says that there is something, and not what: it may be read on a locked screen. */
async function tell({ data }) {
  const windows = await appWindows()
  const { session, notice: change } = messageOf(data)
  const { title, ...notice } = await noticeWords(change !== undefined)
  // Browsers want each message shown. Where the app is in front it takes this back at once, so it makes no noise.
  const silent = windows.some(({ visibilityState }) => visibilityState === 'visible')
  await self.registration.showNotification(title, {
    ...notice,
    tag: session ?? change ?? 'request',
    icon: 'icon-192.png',
    silent,
    data: { session },
  })
  for (const window of windows) window.postMessage({ pushed: true })
  await self.navigator.setAppBadge?.((await self.registration.getNotifications()).length)
}

/** Also those that were open before there was a worker; the origin may have other pages, too. */
async function appWindows() {
  const windows = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
  return windows.filter(({ url }) => url.startsWith(self.registration.scope))
}

const english = {
  title: 'Approve a request?',
  body: 'Open the authenticator to see what it is about.',
  change: { title: 'How you sign in was changed', body: 'Open the authenticator to see what changed.' },
  lang: 'en',
  dir: 'ltr',
}

/** The app leaves them here in the language that was chosen. */
async function noticeWords(isChange) {
  const kept = await caches.match('./notice', { cacheName: noticeCache })
  const { change, ...words } = kept ? await kept.json() : english
  return isChange ? { ...words, ...change } : words
}

function messageOf(data) {
  try {
    const { session, notice } = data.json()
    return { session: textOf(session), notice: textOf(notice) }
  } catch {
    // Whatever came, somebody wants something: opening the app says what.
    return {}
  }
}

const textOf = (value) => (typeof value === 'string' ? value : undefined)

async function open({ notification }) {
  notification.close()
  const { session } = notification.data
  const [window] = await appWindows()
  if (!window) return self.clients.openWindow(session ? `./#request=${encodeURIComponent(session)}` : './')
  window.postMessage({ open: session })
  return window.focus()
}

/** The keys that could tell the service are used by the app alone: it does so as soon as it is open. */
async function renew({ oldSubscription, newSubscription }) {
  if (!newSubscription && oldSubscription) await self.registration.pushManager.subscribe(oldSubscription.options)
  const windows = await appWindows()
  for (const window of windows) window.postMessage({ subscription: 'changed' })
}
