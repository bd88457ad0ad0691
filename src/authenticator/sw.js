// Keeps the app's own files, so that it opens without a connection and can say so. Never touches /device/.
// The build puts the list of files, and a word that changes with them, in the place of the two names.
const shell = __SHELL__
const cachePrefix = `second-factor ${self.registration.scope} `
const cacheName = cachePrefix + __VERSION__

self.addEventListener('install', (event) => {
  event.waitUntil(fill())
})

self.addEventListener('activate', (event) => {
  event.waitUntil(dropOldCaches())
})

self.addEventListener('fetch', (event) => {
  const { request } = event
  if (request.method !== 'GET' || !request.url.startsWith(self.registration.scope)) return
  event.respondWith(request.mode === 'navigate' ? newestPage(request) : keptFile(request))
})

async function fill() {
  const cache = await caches.open(cacheName)
  await cache.addAll(shell.map((path) => new Request(path, { cache: 'reload' })))
  await self.skipWaiting()
}

async function dropOldCaches() {
  // Caches are shared by the whole origin: only those of this very folder are ours to drop.
  const names = await caches.keys()
  const old = names.filter((name) => name.startsWith(cachePrefix) && name !== cacheName)
  await Promise.all(old.map((name) => caches.delete(name)))
  await self.clients.claim()
}

/** A page from the service is always newer; without a connection the kept one opens. */
async function newestPage(request) {
  try {
    return await fetch(request)
  } catch (error) {
    const kept = await caches.match('./', { cacheName })
    if (kept) return kept
    throw error
  }
}

/** Names of assets change with their content. */
async function keptFile(request) {
  return (await caches.match(request, { cacheName })) ?? fetch(request)
}
