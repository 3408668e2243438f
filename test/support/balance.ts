import { type TestNginx, startNginx } from './nginx.ts'

/** nginx that sends each request to the next replica in turn, the hardest case for sessions. */
export async function balance(urls: readonly string[]): Promise<TestNginx> {
  return startNginx(
    (port) => `
      upstream replicas {
        ${urls.map((url) => `server ${new URL(url).host};`).join('\n')}
        keepalive 32;
      }
      server {
        listen 127.0.0.1:${port};
        location / {
          proxy_pass http://replicas;
          proxy_http_version 1.1;
          proxy_set_header Connection "";
          proxy_set_header Host $host;
          proxy_buffering off;
          proxy_read_timeout 3600s;
        }
      }`,
  )
}
