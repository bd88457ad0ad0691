import '../../../examples/single-page-app/with-any-library.js'
// Angular compiles this page in the browser.
import '@angular/compiler'

import { HttpClient, provideHttpClient, withXhr } from '@angular/common/http'
import { Component, inject, provideZonelessChangeDetection, signal } from '@angular/core'
import { bootstrapApplication } from '@angular/platform-browser'

/** An app as people write it, which knows of no second step. */
class App {
  http = inject(HttpClient)
  list = signal('Loading')
  paid = signal('')

  constructor() {
    this.http.get('/list').subscribe({ next: ({ list }) => this.list.set(`List of ${list}`), error: showError })
  }

  pay() {
    this.http.post('/pay', null).subscribe({ next: ({ paid }) => this.paid.set(`Paid ${paid}`), error: showError })
  }
}

const showError = ({ status }) => sessionStorage.setItem('shown error', String(status))

const template = '<h1>{{ list() }}</h1><button (click)="pay()">Pay</button><p>{{ paid() }}</p>'
const Decorated = Component({ selector: 'main', template })(App)

document.body.append(document.createElement('main'))
const features = location.search === '?xhr' ? [withXhr()] : []
await bootstrapApplication(Decorated, { providers: [provideZonelessChangeDetection(), provideHttpClient(...features)] })
