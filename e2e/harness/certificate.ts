import { execFileSync } from 'node:child_process';
import path from 'node:path';

/** Makes a self-signed certificate for localhost in this folder. Needs openssl. */
export function makeCertificate(folder: string): { readonly certFile: string; readonly keyFile: string } {
  const [keyFile, certFile] = [path.join(folder, 'key.pem'), path.join(folder, 'cert.pem')];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  execFileSync(
    'openssl',
    ['req', '-x509', ...curve, '-nodes', '-keyout', keyFile, '-out', certFile, '-days', '2', ...subject],
    { stdio: 'ignore' },
  );
  return { certFile, keyFile };
}

/** A configuration whose server uses this certificate. */
export function withCertificate(
  config: string,
  files: { readonly certFile: string; readonly keyFile: string },
): string {
  const document = JSON.parse(config) as { network: object };
  const network = { ...document.network, tls_cert_file: files.certFile, tls_key_file: files.keyFile };
  return JSON.stringify({ ...document, network });
}
