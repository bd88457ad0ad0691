/** The app's session store failed. No user is verified then, and it is not the service that is unavailable. */
export class WebSessionError extends Error {
  override readonly name = 'WebSessionError'
}
