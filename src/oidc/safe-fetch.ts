/**
 * Reads the public keys of a client. oidc-provider has limited its time and refuses addresses of private networks when it connects;
 * a redirect could still lead to another scheme, port and host than the administrator has registered.
 */
export const safeFetch: typeof fetch = (input, init) => {
  const url = new URL(input instanceof Request ? input.url : input)
  if (url.protocol !== 'https:') return Promise.reject(new TypeError('the address of public keys must be https'))
  return fetch(url, { ...init, redirect: 'error' })
}
