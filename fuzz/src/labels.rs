//! Label files: what is read is written in its own format and read again, and a COCO file is the same in pieces.

use forebay::{
    Result,
    annotations::{
        Classes, Format, Labels, Losses, Notes, ReadOptions, coco, createml, datumaro, labelme, labelstudio, record,
        recorder, via, write,
    },
};

use super::limits;

fn options() -> ReadOptions {
    let mut options = ReadOptions::default();
    options.limits = limits();
    options
}

/// Labels that were read can be written, and what was written can be read.
fn written(read: Result<Labels>, format: Format, again: fn(&[u8], &ReadOptions) -> Result<Labels>) {
    let Ok(labels) = read else { return };
    let Ok(write::Writer::File(write)) = write::writer(format) else { return };
    let mut out = Vec::new();
    let put = |piece: &[u8]| {
        out.extend_from_slice(piece);
        Ok(())
    };
    if let Err(e) = write(&labels, &mut { put }) {
        // Memory takes all; but a name may be one that the format cannot say.
        assert_eq!(e.code().id(), "label.name", "{e}");
        return;
    }
    // What is far larger than it was is over the limits, and no fault.
    if out.len() < 4 << 20 {
        again(&out, &options()).expect("what was written is read");
    }
}

pub(crate) fn coco(data: &[u8]) {
    let whole = coco::read(data, &options());
    let size = usize::from(data.first().copied().unwrap_or(0)) % 61 + 1;
    let (mut reader, mut gather) = (coco::Reader::new(&options()), coco::Gather::default());
    let pieces = (|| {
        for piece in data.chunks(size) {
            reader.feed(piece, &mut gather)?;
        }
        let labelled = reader.has_annotations();
        let notes = reader.finish(&mut gather)?;
        gather.labels(notes, labelled, &options())
    })();
    let told = |read: &Result<Labels>| read.as_ref().cloned().map_err(|e| e.to_string());
    assert_eq!(told(&whole), told(&pieces));
    written(whole, Format::Coco, coco::read);
}

pub(crate) fn coco_seeds() -> Vec<Vec<u8>> {
    [
        r#"{"images":[{"id":1,"file_name":"a.jpg","width":64,"height":48}],"annotations":[{"id":1,"image_id":1,
            "category_id":18,"bbox":[1,2.5,30,4e1],"area":1,"iscrowd":0,"segmentation":[[1,2,3,4,5,6]],
            "keypoints":[1,2,2],"attributes":{"a":"b"},"score":0.5}],"categories":[{"id":18,"name":"dog",
            "supercategory":"animal","keypoints":["nose"],"skeleton":[[1,1]]}]}"#,
        r#"{"annotations":[{"image_id":"x","category_id":1.0,"bbox":[0,0,4,3],"iscrowd":1,
            "segmentation":{"size":[3,4],"counts":"52203"}}],"categories":[{"id":1,"name":"\ud83d\ude97"}],
            "images":[{"id":"x","file_name":"a/b.png"}],"info":{"year":""}}"#,
    ]
    .map(|text| text.as_bytes().to_vec())
    .into()
}

pub(crate) fn studio(data: &[u8]) {
    written(labelstudio::read(data, &options()), Format::LabelStudio, labelstudio::read);
}

pub(crate) fn studio_seeds() -> Vec<Vec<u8>> {
    [
        r#"[{"id":1,"data":{"image":"/data/upload/1/0badf00d-a%20b.jpg"},"annotations":[{"was_cancelled":false,"result":[
            {"type":"rectanglelabels","original_width":320,"original_height":240,"image_rotation":0,"value":{"x":3.1,
            "y":8.3,"width":15.6,"height":66.6,"rotation":30,"rectanglelabels":["a","b"]}},{"type":"polygonlabels",
            "original_width":320,"original_height":240,"value":{"points":[[1,2],[3,4],[5,6]],"polygonlabels":["c"]}}]}],
            "predictions":[]}]"#,
        r#"[{"id":1,"image":"s3://bucket/a.png","label":[{"x":3,"y":8,"width":15,"height":66,"rotation":0,
            "rectanglelabels":["p"],"original_width":320,"original_height":240}]}]"#,
    ]
    .map(|text| text.as_bytes().to_vec())
    .into()
}

pub(crate) fn frames(data: &[u8]) {
    if let Ok(frame) = recorder::read(data, &options()) {
        assert!(!frame.boxes.is_empty());
        let picture = frame.picture(640, 480, &mut Notes::default());
        assert!(picture.annotations.iter().all(|a| a.rect.x0 < a.rect.x1 && a.rect.y0 < a.rect.y1));
    }
}

pub(crate) fn frames_seeds() -> Vec<Vec<u8>> {
    vec![
        br#"{"frame_id":7,"image":"images/a.png","image_present":true,"labels":[{"bbox_px":[1,2,3,4],"bbox_norm":null,
            "source":"human","source_confidence":0.9},{"bbox_norm":[0.125,0.25,0.5,0.75]}]}"#
            .to_vec(),
    ]
}

/// What is read from metadata is written into it again, wherever its place is there, and is the same.
pub(crate) fn metadata(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(value) = serde_json::from_str::<serde_json::Value>(text) else { return };
    if let Some(document) = value.as_object()
        && let Ok(classes) = record::read_classes(document)
    {
        let again = record::read_classes(&record::document(&classes));
        assert_eq!(again.expect("what was written is read"), classes);
    }
    let mut classes = Classes::default();
    let Ok(Some(picture)) = record::read(&value, &mut classes) else { return };
    let mut losses = Losses::default();
    let fields = record::fields(&picture, &classes, &mut losses);
    assert!(losses.is_empty(), "{losses:?}");
    for before in [text, "{}"] {
        let Some((text, _)) = forebay::sample::record::attach(before, &fields) else { continue };
        let value = serde_json::from_str(&text).expect("a record is JSON");
        let again = record::read(&value, &mut classes).expect("what was written is read");
        assert_eq!(again.as_ref(), Some(&picture));
    }
}

pub(crate) fn metadata_seeds() -> Vec<Vec<u8>> {
    [
        r#"{"id":1,"name":"a.jpg","json":{"annotations_format":"forebay.1","annotations_size":[64,48],"image_id":7,
            "annotations":[{"class":"dog","xmin":1,"ymin":2.5,"xmax":30,"ymax":4e1,"score":0.5,"crowd":true},{"xmin":0,
            "ymin":0,"xmax":9,"ymax":9,"rotation":30,"unturned":[1,2,3,4],"attributes":{"a":"b"},"id":"x"}]}}"#,
        r#"{"annotations_format":"forebay.1","annotations":[{"xmin":1,"ymin":1,"xmax":2,"ymax":2,
            "segmentation":{"size":[3,4],"counts":"525"}},{"xmin":1,"ymin":1,"xmax":2,"ymax":2,"shape":"points",
            "keypoints":[1,2,2],"track":3},{"xmin":1,"ymin":1,"xmax":2,"ymax":2,"segmentation":[[1,2,3,4,5,6]]}],
            "members":["jpg","txt"],"txt":"x"}"#,
        r#"{"classes":["a"],"categories":[{"id":18,"name":"dog","keypoints":["nose"],"skeleton":[[1,1]]}]}"#,
    ]
    .map(|text| text.as_bytes().to_vec())
    .into()
}

pub(crate) fn items(data: &[u8]) {
    let Ok(labels) = datumaro::read(data, &options()) else { return };
    written(Ok(labels), Format::Coco, coco::read);
}

pub(crate) fn items_seeds() -> Vec<Vec<u8>> {
    vec![
        br#"{"dm_format_version":"1.0","categories":{"label":{"labels":[{"name":"dog","parent":"animal"}]},"points":{"items":
            [{"label_id":0,"labels":["nose"],"joints":[[1,1]]}]}},"items":[{"id":"x","annotations":[{"id":1,"type":"bbox",
            "group":1,"label_id":0,"bbox":[1,2,3,4],"attributes":{"occluded":true}},{"type":"points","group":1,"label_id":0,
            "points":[1,2],"visibility":[2]},{"type":"mask","rle":{"size":[3,4],"counts":"525"}},{"type":"polygon",
            "points":[1,2,3,4,5,6]}],"image":{"path":"x.jpg","size":[48,64]}}]}"#
            .to_vec(),
    ]
}

pub(crate) fn me(data: &[u8]) {
    let mut classes = Classes::default();
    let Ok(picture) = labelme::read(data, &mut classes, &mut Notes::default(), &options()) else { return };
    if let Some(text) = labelme::write(&picture, &classes, &mut Default::default()) {
        let again = labelme::read(text.as_bytes(), &mut Classes::default(), &mut Notes::default(), &options());
        again.expect("what was written is read");
    }
}

pub(crate) fn me_seeds() -> Vec<Vec<u8>> {
    vec![
        br#"{"version":"5.5.0","shapes":[{"label":"a","points":[[25,15],[50,60]],"group_id":1,"shape_type":"rectangle"},
            {"label":"b","points":[[1,2],[3,4],[5,6]],"shape_type":"polygon"},{"label":"c","points":[[0,0],[10,0],[10,5],
            [0,5]],"shape_type":"rotation"}],"imagePath":"a.jpg","imageData":null,"imageHeight":75,"imageWidth":100}"#
            .to_vec(),
    ]
}

pub(crate) fn annotator(data: &[u8]) {
    written(via::read(data, &options()), Format::Via, via::read);
}

pub(crate) fn annotator_seeds() -> Vec<Vec<u8>> {
    vec![
        br#"{"_via_img_metadata":{"a.jpg12":{"filename":"a.jpg","size":12,"regions":[{"shape_attributes":{"name":"rect",
            "x":10,"y":20,"width":50,"height":160},"region_attributes":{"label":"p","b":"c"}},{"shape_attributes":{
            "name":"polygon","all_points_x":[1,2,3],"all_points_y":[4,5,6]},"region_attributes":{}}]}}}"#
            .to_vec(),
    ]
}

pub(crate) fn create(data: &[u8]) {
    written(createml::read(data, &options()), Format::CreateMl, createml::read);
}

pub(crate) fn create_seeds() -> Vec<Vec<u8>> {
    vec![
        br#"[{"image":"a.jpg","annotations":[{"label":"p","coordinates":{"x":35.0,"y":100.0,"width":50.0,"height":160.0}}]}]"#
            .to_vec(),
    ]
}
