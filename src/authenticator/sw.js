// Caches the app's files, so that it opens without a connection, and shows notifications while it is closed. It never calls
// /device/: it has no key and no account. The build replaces the two names by the list of files and a hash of their content.
// oxlint-disable unicorn/require-post-message-target-origin -- windows of a worker are of its own origin
const shell = __SHELL__
const cachePrefix = `second-factor ${self.registration.scope} `
const cacheName = cachePrefix + __VERSION__
const noticeCache = `second-factor notice ${self.registration.scope}`

self.addEventListener('install', (event) => event.waitUntil(fill()))
self.addEventListener('activate', (event) => event.waitUntil(dropOldCaches()))
self.addEventListener('push', (event) => event.waitUntil(notify(event)))
self.addEventListener('notificationclick', (event) => event.waitUntil(open(event)))
self.addEventListener('pushsubscriptionchange', (event) => event.waitUntil(renew(event)))

// A new version waits until the app is opened again: open pages keep their files.
self.addEventListener('message', (event) => {
  if (event.data === 'take over') event.waitUntil(self.skipWaiting())
})

self.addEventListener('fetch', (event) => {
  const { request } = event
  if (request.method !== 'GET' || !request.url.startsWith(self.registration.scope)) return
  event.respondWith(isPage(request) ? cachedPage(request) : cachedFile(request))
})

async function fill() {
  const cache = await caches.open(cacheName)
  await cache.addAll(shell.map((path) => new Request(path, { cache: 'reload' })))
}

async function dropOldCaches() {
  // The whole origin shares caches: delete only those of this folder.
  const names = await caches.keys()
  const old = names.filter((name) => name.startsWith(cachePrefix) && name !== cacheName)
  await Promise.all(old.map((name) => caches.delete(name)))
  await self.clients.claim()
}

function isPage({ mode, url }) {
  const path = url.slice(self.registration.scope.length).replace(/[?#].*$/, '')
  return mode === 'navigate' && (path === '' || path === 'index.html')
}

/** Opens at once, even on a bad connection. The browser checks for a new version in the background. */
async function cachedPage(request) {
  return (await caches.match('./', { cacheName })) ?? fetch(request)
}

/** Asset names contain a hash of their content. Assets that are not cached at installation are cached on first use. */
async function cachedFile(request) {
  const cached = await caches.match(request, { cacheName })
  if (cached) return cached
  const response = await fetch(request)
  if (response.ok && request.url.startsWith(`${self.registration.scope}assets/`)) {
    // Where there is no room left, it is asked for again the next time.
    await keep(request, response.clone()).catch(() => undefined)
  }
  return response
}

async function keep(request, response) {
  const cache = await caches.open(cacheName)
  await cache.put(request, response)
}

/** Shows a notification without details, as others may see a locked screen. */
async function notify({ data }) {
  const windows = await appWindows()
  const { session, notice: change, call, approval, test } = messageOf(data)
  const kind = (change && 'change') ?? (call && 'call') ?? (approval && 'approval') ?? (test && 'test')
  const { title, ...notice } = await noticeWords(kind)
  // Browsers require a notification for each message. A visible app closes it at once, so it is silent, unless it is a test.
  const silent = !test && windows.some(({ visibilityState }) => visibilityState === 'visible')
  await self.registration.showNotification(title, {
    ...notice,
    tag: session ?? change ?? call ?? approval ?? (test ? 'test' : 'request'),
    icon: 'icon-192.png',
    silent,
    data: { session: session ?? approval, test },
  })
  for (const window of windows) window.postMessage({ pushed: true, test })
  await self.navigator.setAppBadge?.((await self.registration.getNotifications()).length)
}

/** All windows of the app, including those opened before the worker, but no other pages of the origin. */
async function appWindows() {
  const windows = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
  return windows.filter(({ url }) => url.startsWith(self.registration.scope))
}

const english = {
  title: 'Approve a request?',
  body: 'Open the authenticator to see what it is about.',
  change: { title: 'Your sign-in methods changed', body: 'Open the authenticator to see what changed.' },
  call: { title: 'Did you call the help desk?', body: 'Open the authenticator to see what it is about.' },
  approval: { title: 'Approve an action', body: 'Open the authenticator to see what it is about.' },
  test: { title: 'Test · this signs no one in', body: 'Open it to try out a request.' },
  lang: 'en',
  dir: 'ltr',
}

/** The app stores these texts in the chosen language. */
async function noticeWords(kind) {
  const cached = await caches.match('./notice', { cacheName: noticeCache })
  const { change, call, approval, test, ...words } = { ...english, ...(await cached?.json()) }
  return { ...words, ...{ change, call, approval, test }[kind] }
}

function messageOf(data) {
  try {
    const entries = Object.entries(data.json()).map(([kind, id]) => [kind, textOf(id)])
    return Object.fromEntries(entries)
  } catch {
    // An unreadable message still means that there is something: the app shows what.
    return {}
  }
}

const textOf = (value) => (typeof value === 'string' ? value : undefined)

async function open({ notification }) {
  notification.close()
  const { session, test } = notification.data
  const [window] = await appWindows()
  if (!window && test) return self.clients.openWindow('./#test')
  if (!window) return self.clients.openWindow(session ? `./#request=${encodeURIComponent(session)}` : './')
  window.postMessage({ open: session, practice: test })
  return window.focus()
}

/** Only the app can tell the service, as it has the key: it does so as soon as it is open. */
async function renew({ oldSubscription, newSubscription }) {
  if (!newSubscription && oldSubscription) await self.registration.pushManager.subscribe(oldSubscription.options)
  const windows = await appWindows()
  for (const window of windows) window.postMessage({ subscription: 'changed' })
}
