//! Programs for documents, data, pictures and sound: what of them is never allowed, and what always is.

use super::corpus::{strict, workspace};
use crate::{Decision, Env, check};

const NEVER: &str = r#"
pandoc -Lx.lua a.md
pandoc -F./evil a.md
pandoc -dx.yaml a.md
pandoc --lua-f=evil.lua a.md
pandoc --fil ./evil a.md
pandoc -t evil.lua a.md
pandoc -f evil.lua a.md
pandoc --include-after-body=/home/user/.ssh/id_rsa a.md
latexmk -pdflatex='sh -c id' a.tex
latexmk -xelatex='sh -c id' a.tex
latexmk -r evil.rc
latexmk -outdir=/home/user/.config a.tex
ps2pdf -dNOSAFER a.ps b.pdf
pdflatex -output-directory=/home/user/.config a.tex
pdflatex -jobname=.git/hooks/pre-commit a.tex
makeindex -o .git/hooks/pre-commit a.idx
emacs --eva='(shell-command "id")' -q
emacs --bat --loa=/tmp/x.el
emacs -x evil.el
vim -es -V9/home/user/.bashrc f
vim -es -c $'/x\n!id' f
vim -es -c '/x/!id' f
less '+G!id' f
man -C ./evil.conf ls
jq -R . ~/.aws/credentials --args
jq -n -L ~/.docker 'import "config" as $d; $d'
jq -n 'import "config" as $d {search:"/home/user/.docker"}; $d'
jq -n '$ ENV'
jq -n '"\($ENV)"'
yq -n '$ENV'
tomlq -n '$ENV'
xq -n env
yq -n 'load_str("/home/user/.ssh/id_rsa")'
yq -n 'load_props("/home/user/.ssh/id_rsa")'
yq -s '.git/hooks/x' a
yq -i '.a = 1' /home/user/x.yaml
convert a.png miff:/home/user/.bashrc
convert -size 40x40 -depth 8 gray:/home/user/.ssh/id_rsa gray:-
convert 'gray:/home/user/.ss*/id_rsa' gray:-
convert a.png -draw 'image over 0,0 0,0 "/home/user/x"' b.png
convert a.png +write /home/user/x b.png
rsvg-convert -o/home/user/x a.svg
rsvg-convert --output=/home/user/x a.svg
jpegoptim -d/home/user a.jpg
pngquant --output=/home/user/x a.png
oxipng --out=/home/user/x a.png
flac --output-name=/home/user/x a.wav
ffmpeg -i a.mp4 md5:/home/user/.bashrc
ffmpeg -i a.mp4 -f tee "a.mkv|/home/user/.bashrc"
ffmpeg -i 'subfile,,start,0,end,0,,:/home/user/.ssh/id_rsa' out.mkv
ffmpeg -i a.mp4 -vf drawtext=textfile=/home/user/.ssh/id_rsa b.mp4
ffmpeg -i a.mp4 -vf 'drawtext=te\xtfile=/home/user/.ssh/id_rsa' b.mp4
ffmpeg -i a.mp4 -vf 'drawtext=a:b:/home/user/.ssh/id_rsa' b.mp4
tesseract a.png .git/hooks/x -l eng
echo 'save /home/user/.bashrc' | xmllint --shell a.xml
tidy -f .git/hooks/pre-commit a.html
tidy -f /etc/cron.d/x a.html
rst2html a.rst .git/hooks/pre-commit
valgrind --log-file=/home/user/.bashrc ./a.out
valgrind --xml-file=/home/user/.bashrc ./a.out
hyperfine --export-json /home/user/x ls
hyperfine -S./evil ls
xvfb-run -e /home/user/x ls
strace -o /home/user/.bashrc ls
strace -E LD_PRELOAD=./x.so ls
sqlite3 x "select edit('x','rm -rf /home/user')"
sqlite3 x "select \"edit\"('x','id')"
sqlite3 x "select load_extension('./x')"
sqlite3 x "select writefile('/home/user/.bashrc','x')"
sqlite3 x "vacuum into '/home/user/x'"
sqlite3 x '.output /home/user/x'
sqlite3 x '.once /home/user/x' 'select 1'
sqlite3 -cmd '.shell id' x 'select 1'
kubectl get pods -o go-template-file=/home/user/.ssh/id_rsa
kubectl get pods -o=jsonpath-file=/home/user/.ssh/id_rsa
echo '!id' | dc
dc -e '[!id]x'
openssl x509 -in ~/.ssh/a.pem
"#;

const ALWAYS: &str = r#"
pandoc README.md -o out.html
pandoc -s --toc -f markdown -t html5 -c style.css a.md -o a.html
pandoc a.md --pdf-engine=xelatex -V geometry:margin=1in -o a.pdf
latexmk -pdf -interaction=nonstopmode -outdir=build a.tex
pdflatex -interaction=nonstopmode -halt-on-error -output-directory=build a.tex
ps2pdf -dPDFSETTINGS=/ebook a.ps b.pdf
pdftotext -layout a.pdf -
qpdf --empty --pages a.pdf 1-3 b.pdf -- out.pdf
dot -Tsvg a.dot -o a.svg
less +G log.txt
man -k printf
jq '.env | .environment' a.json
jq -r '.dependencies | to_entries[] | "\(.key) \(.value)"' package.json
jq --arg v "$VERSION" '.version = $v' package.json > out.json
jq -n --args '$ARGS.positional' a b
yq -o=json a.yaml
yq -o json '.a' a.yaml
yq '.services | keys' docker-compose.yml
yq -i '.a.b = "c"' a.yaml
xmllint --noout --schema a.xsd a.xml
xmllint --format a.xml
tidy -q -e a.html
csvcut -c 1,2 a.csv | csvlook
convert a.png -resize 50% -quality 80 b.jpg
convert -size 100x100 xc:white -fill black -pointsize 20 -annotate +10+50 hello a.png
magick identify -verbose a.png
identify -format '%wx%h' a.png
mogrify -resize 50% a.png
montage a.png b.png -tile 2x1 -geometry +2+2 out.png
compare -metric RMSE a.png b.png diff.png
ffmpeg -i in.mp4 -c:v libx264 -crf 23 -preset fast -c:a copy out.mp4
ffmpeg -y -ss 00:00:05 -i in.mp4 -frames:v 1 thumb.png
ffmpeg -i in.mp4 -vf "fps=10,scale=320:-1:flags=lanczos,split[s0][s1];[s0]palettegen[p];[s1][p]paletteuse" out.gif
ffmpeg -f concat -safe 0 -i list.txt -c copy out.mp4
ffprobe -v error -show_format -show_streams -of json a.mp4
sox a.wav -r 16000 -c 1 b.wav
tesseract a.png stdout -l eng
optipng -o7 a.png
valgrind --leak-check=full --error-exitcode=1 ./a.out
hyperfine --warmup 3 --export-markdown bench.md 'ls' 'ls -l'
xvfb-run -a npm test
strace -f ./a
ltrace ./a
strace -f -e trace=openat -o trace.txt ./a
sqlite3 a.db 'select * from t'
sqlite3 -header -csv a.db 'select name, edited from t'
bc <<< '1+1'
echo '1+1' | bc -l
dc -e '2 3 + p'
openssl x509 -in a.pem -noout -text
plantuml -tsvg a.puml
mmdc -i a.mmd -o a.svg
"#;

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.is_empty())
}

#[test]
fn what_they_read_write_or_run_elsewhere_is_never_allowed() {
    for settings in [strict(), workspace()] {
        let env = Env::default();
        let allowed =
            lines(NEVER).filter(|text| check(text, &env, &settings).verdict == Decision::Allow);
        assert_eq!(allowed.collect::<Vec<_>>(), Vec::<&str>::new(), "{:?}", settings.profile);
    }
}

#[test]
fn ordinary_work_with_them_is_allowed() {
    let held_up = lines(ALWAYS).filter_map(|text| {
        let check = check(text, &Env::default(), &workspace());
        (check.verdict != Decision::Allow).then(|| format!("{text}: {:?}", check.reasons))
    });
    assert_eq!(held_up.collect::<Vec<_>>(), Vec::<String>::new());
}
