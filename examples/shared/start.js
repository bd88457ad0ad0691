/** Starts an example on PORT (default 3000), and prints what to open. */
export function start(app, hint = 'Sign in as alice with the password "secret".', host = 'localhost') {
  const server = app.listen(process.env.PORT ?? 3000, host, (error) => {
    if (error) throw error
    console.log(`This example listens on http://${host}:${server.address().port}\n${hint}`)
  })
  return server
}
