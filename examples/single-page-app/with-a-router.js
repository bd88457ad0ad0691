import { leadToSecondStep } from 'second-factor/browser'

/** Fetches JSON. `returnTo` is the view to return to after the second step, by default the current one. */
export async function api(path, { returnTo, ...init } = {}) {
  const response = await fetch(path, init)
  // The browser is leaving this page. A promise that never settles keeps the caller from rendering in the meantime.
  if (await leadToSecondStep(response, returnTo)) return new Promise(() => {})
  if (!response.ok) throw Object.assign(new Error(response.statusText), { status: response.status })
  return response.json()
}

/** For Vue Router: `router.beforeEach(requireLogin)`. */
export async function requireLogin(to) {
  if (to.path === '/login') return true
  try {
    await api('/api/me', { returnTo: to.fullPath })
    return true
  } catch (error) {
    if (error.status !== 401) throw error
    return { path: '/login', query: { next: to.fullPath } }
  }
}

/** For axios: `axios.interceptors.response.use(undefined, handleAxiosError)`. */
export async function handleAxiosError(error) {
  const { status, data } = error.response ?? {}
  if (status === 403 && (await leadToSecondStep(Response.json(data, { status })))) return new Promise(() => {})
  throw error
}
